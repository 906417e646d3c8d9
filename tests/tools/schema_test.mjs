// What `gt docs schema` prints, before a validator that is not ours (ajv, strict): every schema compiles, real answers fit,
// and an answer with a field of the wrong type does not.
// usage: node schema_test.mjs GT FOLDER_OF_AJV
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , gt, modules] = process.argv;
const Ajv = createRequire(join(modules, 'ajv', 'package.json'))('ajv/dist/2020').default;
const town = mkdtempSync(join(tmpdir(), 'schema-test-'));
process.on('exit', () => rmSync(town, { recursive: true, force: true }));

let failures = 0;
function expect(holds, what, more = '') {
  if (holds) return;
  console.log(`FAILED: ${what}`, JSON.stringify(more));
  ++failures;
}
function run(words) {
  const env = { PATH: process.env.PATH, HOME: town, LANG: 'C.UTF-8' };
  const done = spawnSync(gt, words, { cwd: town, env, encoding: 'utf8', input: '' });
  return { code: done.status, out: done.stdout, err: done.stderr };
}
function answer(words) {
  const done = run([...words, '--json']);
  expect(done.code === 0, `gt ${words.join(' ')} ended with ${done.code}`, done.err);
  return JSON.parse(done.out);
}

const { $schema, $defs, operations, error } = JSON.parse(run(['docs', 'schema']).out);
expect($schema === 'https://json-schema.org/draft/2020-12/schema', 'the draft is named');
const ajv = new Ajv({ strict: true, allErrors: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
function compiled(schema, what) {
  try {
    return ajv.compile({ ...schema, $defs });
  } catch (problem) {
    expect(false, `${what} is no schema`, problem.message);
    return () => false;
  }
}

const outputs = {};
const inputs = {};
for (const [name, operation] of Object.entries(operations)) {
  inputs[name] = compiled(operation.input, `the input of ${name}`);
  outputs[name] = compiled(operation.output, `the output of ${name}`);
}
expect(Object.keys(outputs).length > 80, `only ${Object.keys(outputs).length} operations`);

// What is said beside the schemas agrees with them.
for (const [name, operation] of Object.entries(operations)) {
  const { properties } = operation.input;
  expect(Object.keys(operation.arguments).join() === Object.keys(properties).join(), `${name} tells of other arguments`);
  for (const [key, row] of Object.entries(operation.arguments)) {
    expect(row.kind, `${name}: ${key} has no kind`);
    if (row.unless) expect(properties[row.unless], `${name}: nothing is called ${row.unless}`);
    if (row.choices) expect(JSON.stringify((properties[key].items ?? properties[key]).enum) === JSON.stringify(row.choices), `${name}: ${key}`);
  }
  const aliases = operation.aliases ?? [];
  expect(!aliases.some((alias) => operations[alias]), `an alias of ${name} is an operation`, aliases);
  expect(operation.examples.length > 0 && operation.examples.every(({ command }) => command), `${name} has no example`);
  if (!operation.columns) continue;
  const { $ref, ...plain } = (operation.output.anyOf?.at(-1) ?? operation.output).items;
  const item = $ref ? $defs[$ref.replace('#/$defs/', '')] : plain;
  for (const { key, as } of operation.columns) {
    expect(as, `${name}: a column does not say how it is shown`);
    if (key) expect(item.properties[key], `${name}: the list has no ${key}`);
  }
}

// Inputs are as strict as the program.
for (const [name, value, good] of [
  ['mail.send', { to: ['max'], subject: 's', body: 'b' }, true],
  ['mail.send', { to: ['max'], protocol: 'DONE' }, true],
  ['mail.send', { to: ['max'], subject: 's' }, false],
  ['mail.send', { to: ['max'], subject: 's', body: 'b', priority: 'high' }, true],
  ['mail.send', { to: ['max'], subject: 's', body: 'b', priority: 2 }, true],
  ['mail.send', { to: ['max'], subject: 's', body: 'b', priority: 'asap' }, false],
  ['mail.send', { to: ['max'], subject: 's', body: 'b', priority: 5 }, false],
  ['mail.ack', { id: ['hq-m-1a2b3c'] }, true],
  ['mail.ack', { id: ['1'] }, false],
  ['queue.show', { name: 'queue:jobs' }, true],
  ['queue.show', { name: 'No Name' }, false],
  ['queue.show', { name: 'jobs', colour: 'red' }, false],
])
  expect(inputs[name](value) === good, `${name} ${good ? 'refuses' : 'takes'}`, value);

function fits(name, value) {
  const check = outputs[name];
  expect(check, `there is no operation ${name}`);
  if (check) expect(check(value), `an answer of ${name} does not fit`, [check.errors, value]);
}
// Puts something else into the first field that the schema wants; the answer must be refused then.
function spoilt(value) {
  const copy = structuredClone(value);
  const object = Array.isArray(copy) ? copy[0] : copy;
  const key = Object.keys(object)[0];
  object[key] = typeof object[key] === 'object' ? 'text' : { not: 'this' };
  return copy;
}
let asked = 0;
function ask(name, words) {
  const value = answer(words);
  ++asked;
  fits(name, value);
  const some = Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
  if (some && outputs[name]) expect(!outputs[name](spoilt(value)), `${name} takes a field of the wrong type`, value);
  return value;
}

ask('init', ['init', '--name', 'testtown']);
ask('rig.add', ['rig', 'add', 'beads', town]);
for (const agent of ['beads/polecats/nux', 'beads/crew/max']) ask('agent.add', ['agent', 'add', agent]);
const [nux, max] = [['--as', 'beads/polecats/nux'], ['--as', 'beads/crew/max']];
ask('queue.create', ['queue', 'create', 'work']);
ask('channel.create', ['channel', 'create', 'news']);
const sent = ask('mail.send', ['mail', 'send', 'beads/crew/max', '-s', 'plan', '-m', 'is here', ...nux]);
ask('mail.inbox', ['mail', 'inbox', ...max]);
ask('mail.read', ['mail', 'read', sent.id, ...max]);
ask('mail.reply', ['mail', 'reply', sent.id, '-m', 'thanks', ...max]);
ask('mail.thread', ['mail', 'thread', sent.id, ...max]);
ask('mail.explain', ['mail', 'explain', sent.id, ...nux]);
ask('mail.search', ['mail', 'search', 'plan', ...max]);
ask('queue.list', ['queue', 'list']);
ask('queue.show', ['queue', 'show', 'work']);
ask('channel.list', ['channel', 'list']);
ask('agent.list', ['agent', 'list']);
ask('rig.list', ['rig', 'list']);
ask('nudge', ['nudge', 'beads/crew/max', '-m', 'look up', ...nux]);
ask('nudge.list', ['nudge', 'list', '--agent', 'beads/crew/max']);
ask('status', ['status']);
ask('whoami', ['whoami', ...max]);
ask('store.info', ['store', 'info']);

const problem = compiled(error, 'the error');
for (const words of [['mail', 'read', 'hq-m-nothere', ...max], ['mail', 'send', 'nobody-of-that-name', '-s', 'x', '-m', 'y', ...nux]]) {
  const done = run([...words, '--json']);
  expect(done.code !== 0, `gt ${words.join(' ')} succeeded`);
  const value = JSON.parse(done.out);
  expect(problem(value), 'an error does not fit', [problem.errors, value]);
  expect(!problem(spoilt(value)), 'an error with a field of the wrong type is taken', value);
}

console.log(`${Object.keys(outputs).length} operations, ${asked} answers, ${failures} failures`);
process.exit(failures ? 1 : 0);
