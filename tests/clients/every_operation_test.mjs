// Every operation of the OpenAPI document is asked with what its schema allows, and with what it does not: never is there
// an internal error, and every answer fits the document. The same seed asks the same.
// usage: node every_operation_test.mjs URL MODULES ROUNDS SEED TOKEN…
import { ask, broken_promise, document_of, operations_of } from '../server/api.mjs';

const [, , url, modules, rounds_text, seed_text, ...tokens] = process.argv;
const rounds = Number(rounds_text);
const seed = Number(seed_text);
console.log(`seed ${seed}, ${rounds} rounds`);

let state = seed >>> 0;
function chance() {  // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(chance() * n);
const pick = (list) => list[below(list.length)];
const often = (share) => chance() < share;
function shuffled(list) {
  const out = [...list];
  for (let i = out.length - 1; i > 0; --i) {
    const j = below(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

// --- what is there to ask about; ids join as answers name them ---------------------------------------------------------
const known = {
  message: ['hq-m-zzzzz'],
  nudge: ['hq-n-zzzzz'],
  thread: ['thread-000000000000'],
  list: ['crowd', 'jobs', 'news', 'more', 'queue:jobs', 'channel:news', 'group:crowd', '@crowd'],
  address: ['alice', 'bob', 'carol', 'overseer', 'mayor/', 'queue:jobs', 'channel:news', '@crowd', 'group:crowd', 'nobody', '*', 'beads/crew/max', 'Ünïcode', 'a b', '@@', '/', 'x'.repeat(200)],
  text: ['', 'x', 'DONE: gp-1', 'HELP: stuck', 'two\nlines', '$(rm -rf /) `id` ; "q" \'s\' \\', '\u001b[31mred\u001b[0m\u0007', 'naïve 日本語 🐝 e\u0301', '\u202eevil', '%s%n%00', ' lead', '-rf', '--as', 'x'.repeat(5000), '{"json":1}', '\r\n\r\nHTTP/1.1 200 OK'],
  duration: ['1s', '30m', '1h 30m', '0', '365d', '99999999999d', '9223372036854775807s'],
};
const kMost = 200;
function learn(text) {
  for (const [kind, pattern] of [['message', /hq-m-[0-9a-z]+/g], ['nudge', /hq-n-[0-9a-z]+/g], ['thread', /thread-[0-9a-f]{12}/g]])
    for (const [id] of text.matchAll(pattern))
      if (!known[kind].includes(id)) known[kind].length < kMost ? known[kind].push(id) : (known[kind][below(kMost)] = id);
}

/// A value that this schema allows.
function allowed(schema, name) {
  if (schema.anyOf) return allowed(pick(schema.anyOf), name);
  if (schema.enum) return pick(schema.enum);
  switch (schema.type) {
    case 'boolean':
      return often(0.5);
    case 'integer': {
      const least = schema.minimum ?? -5;
      const most = schema.maximum ?? 5000;
      return often(0.3) ? pick([least, most]) : least + below(Math.min(most - least, 1000) + 1);
    }
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 0, below(4)) }, () => allowed(schema.items, name));
    case 'object':
      return Object.fromEntries(Array.from({ length: below(3) }, () => [pick(['topic', 'problem', 'branch', 'issue', 'x y', '']), pick(known.text)]));
    case 'string':
      break;
    default:
      return pick(['x', 1, true, { deep: [] }]);
  }
  const pattern = schema.pattern ?? '';
  if (pattern.startsWith('^hq-m-')) return pick(known.message);
  if (pattern.startsWith('^hq-n-')) return pick(known.nudge);
  if (pattern.startsWith('^([0-9]+')) return pick(known.duration);
  if (pattern) return pick(known.list);
  if (schema.maxLength === 200) return pick(known.address);
  if (/thread|^id$/i.test(name)) return pick(known.thread);
  return pick(known.text);
}

/// A value that it does not.
function forbidden(schema) {
  if (schema.anyOf) return forbidden(schema.anyOf[0]);
  const odd = [[[]], { a: { b: 1 } }, 1.5, [null], -1e300];
  if (schema.enum) return pick([...odd, 'no such word', 99]);
  switch (schema.type) {
    case 'boolean':
      return pick([...odd, 'perhaps', 7]);
    case 'integer':
      return pick([...odd, 'many', '1x', '', ...(schema.maximum === undefined ? [] : [schema.maximum + 1]), ...(schema.minimum === undefined ? [] : [schema.minimum - 1])]);
    case 'array':
      return pick([{ a: 1 }, 1.5, [[1]], [{}]]);
    case 'object':
      return pick([{ a: 1 }, { a: [] }, 1.5, [[]]]);
    default:
      return pick([...odd, true, 'nul\u0000here', ...(schema.pattern ? ['not !! like this'] : []), ...(schema.minLength ? [''] : [])]);
  }
}

const in_path = (value) => {
  const escaped = encodeURIComponent(String(value));
  return escaped === '' ? '%20' : often(0.5) ? escaped.replaceAll('%2F', '~') : escaped;
};
function spelled(operation, parts, query) {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => in_path(parts[name]));
  const joined = new Set(operation.parameters.filter(({ explode }) => explode === false).map(({ name }) => name));
  const pairs = query.filter(([, value]) => !Array.isArray(value) || value.length).map(([name, value]) => (joined.has(name) && Array.isArray(value) ? [name, value.join(',')] : [name, value])).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(typeof one === 'object' ? JSON.stringify(one) : one)}`));
  return pairs.length ? `${path}?${pairs.join('&')}` : path;
}

/// What is asked, before something is made wrong with it.
function good_call(operation) {
  const parts = {};
  const query = [];
  const headers = {};
  const share = pick([0, 0.1, 0.4]);
  for (const { name, in: place, required, schema } of operation.parameters)
    if (place === 'path') parts[name] = allowed(schema, name);
    else if (required || often(share)) place === 'query' ? query.push([name, allowed(schema, name)]) : (headers[name] = String(below(100)));
  let body;
  if (operation.body) {
    body = {};
    for (const [name, schema] of Object.entries(operation.body.properties))
      if (operation.body.required?.includes(name) || often(share)) body[name] = allowed(schema, name);
  }
  return { parts, query, headers, body };
}

const kBrokenBodies = ['{', '[]', '"text"', 'null', '1', '{"a":}', '{"subject":"\\ud800","body":"x"}', '['.repeat(5000), '{"a":1,"a":2}', '\u0000', Buffer.from([0xff, 0xfe, 0x7b]), `{"${'k'.repeat(70000)}":1}`, '{"subject":1e999}'];
/// The call made wrong, and how; null if there is no such way here.
const kWrongs = {
  'a field that is not known': (call, operation) => {
    if (operation.body) call.body = { ...call.body, 'no such field': 1 };
    else call.query.push(['no such field', '1']);
    return call;
  },
  'a value that is not allowed': (call, operation) => {
    const fields = Object.entries(operation.body?.properties ?? {}).filter(([, schema]) => schema.type || schema.anyOf || schema.enum);
    if (fields.length) {
      const [name, schema] = pick(fields);
      call.body[name] = forbidden(schema);
      return call;
    }
    const simple = operation.parameters.filter(({ in: place, schema }) => place === 'query' && (schema.type === 'integer' || schema.type === 'boolean' || schema.enum));
    if (!simple.length || operation.type === 'text/event-stream') return null;
    const { name, schema } = pick(simple);
    call.query = call.query.filter(([other]) => other !== name);
    call.query.push([name, schema.type === 'boolean' ? 'perhaps' : 'no such word']);
    return call;
  },
  'a field that is missing': (call, operation) => {
    const required = operation.body?.required ?? [];
    if (!required.length) return null;
    delete call.body[pick(required)];
    return call;
  },
  'a body that is no object': (call, operation) => {
    if (!operation.body) return null;
    return { ...call, raw: pick(kBrokenBodies) };
  },
  'another type of body': (call, operation) => (operation.body ? { ...call, raw: '<a/>', content_type: 'text/xml' } : null),
  'a body that nobody expects': (call, operation) => (operation.method === 'GET' || operation.method === 'DELETE' ? { ...call, raw: '{"x":1}' } : null),
  'a path of chance': (call, operation) => {
    const parts = operation.path.match(/\{/g);
    if (!parts) return null;
    return { ...call, path: operation.path.replace(/\{\w+\}/g, () => pick(['%', '%ZZ', '%00', '%FF%FE', '%2e%2e', '..', '%0d%0aX:1', '~~~', 'x'.repeat(3000), '%F0%9F%90%9D', '!!'])) };
  },
  'no token': (call) => ({ ...call, token: null }),
};

const headers_of = (token, more) => ({ ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more });
const document = await document_of(url, tokens[0]);
const operations = operations_of(document, modules);

let failures = 0;
let asked = 0;
const good = new Map();
const refused = new Map();
function fail(operation, call, answer, why) {
  if (++failures > 40) return;
  console.log(`FAILED: ${operation.name}: ${why}\n  ${call.method} ${String(call.path).slice(0, 300)} ${String(call.body ?? '').slice(0, 400)}\n  ${answer.status} ${String(answer.text).slice(0, 600)}`);
}
async function send(operation, call, wrong) {
  const token = call.token === undefined ? pick(tokens) : call.token;
  const raw = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const headers = headers_of(token, call.headers);
  if (raw !== undefined) {
    headers['Content-Type'] = call.content_type ?? 'application/json';
    headers['Content-Length'] = Buffer.byteLength(raw);
  }
  const request = { method: operation.method, path: call.path ?? spelled(operation, call.parts, call.query), headers, body: raw, stream: operation.type === 'text/event-stream' };
  const answer = await ask(url, request);
  ++asked;
  learn(answer.text ?? '');
  const broken = broken_promise(operation, answer);
  if (broken) fail(operation, request, answer, broken);
  if (wrong && answer.status < 400) fail(operation, request, answer, `${wrong} is taken`);
  if (!wrong) {
    const counts = answer.status < 400 ? good : refused;
    counts.set(operation.name, (counts.get(operation.name) ?? 0) + 1);
  }
  return answer;
}
const named = (name) => operations.find((operation) => operation.name === name);
/// What works whatever chance does. Each operation is among these, so that none is only ever refused.
const assured = new Set();
function sure(name, parts, body, token = tokens[0]) {
  assured.add(name);
  return send(named(name), { parts, query: [], headers: {}, body, token });
}

/// Makes what chance should find there, and takes each step once that chance seldom takes.
async function furnish() {
  await sure('postGroups', {}, { name: 'crowd', members: ['alice', 'bob'] });
  await sure('postQueues', {}, { name: 'jobs', claimers: '*' });
  await sure('postChannels', {}, { name: 'news' });
  for (const to of ['alice', 'bob', 'overseer', 'queue:jobs', 'channel:news', '@crowd'])
    await sure('postMail', {}, { to, subject: 'Hi', body: 'there', ackRequired: true });
  const mine = async () => JSON.parse((await sure('postMail', {}, { to: 'overseer', subject: 'Hi', body: 'there', ackRequired: true })).text).data;
  const { messageId: id, threadId } = await mine();
  await sure('getMailById', { id });
  await sure('getMailByIdExplain', { id });
  await sure('getMailThreadById', { id: threadId });
  for (const step of ['Read', 'Unread', 'Ack', 'Archive']) await sure(`postMailById${step}`, { id }, {});
  await sure('deleteMailById', { id: (await mine()).messageId });
  await sure('getAgentsByAgent', { agent: 'bob' });
  await sure('getAgentsByAddressMail', { address: 'bob' });
  const nudge = JSON.parse((await sure('postAgentsByTargetNudge', { target: 'bob' }, { message: 'look up', mode: 'queue' })).text).data;
  await sure('postAgentsByTargetMessage', { target: 'bob' }, { prompt: 'look up' });
  await sure('getNudgesById', { id: nudge.id });
  await sure('getNudgesByIdExplain', { id: nudge.id });
  const claim = async () => {
    await sure('postMail', {}, { to: 'queue:jobs', subject: 'Hi', body: 'there' });
    return JSON.parse((await sure('postQueuesByQueueClaim', { queue: 'jobs' }, {}, tokens[1])).text).data.id;
  };
  await sure('postQueuesByQueueComplete', { queue: 'jobs' }, { id: await claim() }, tokens[1]);
  await sure('postQueuesByQueueFail', { queue: 'jobs' }, { id: await claim(), reason: 'red' }, tokens[1]);
  await sure('postAgentsByAgentEvents', { agent: 'bob' }, { event: 'idle' }, tokens[2]);
  await sure('postAgentsByTargetMessage', { target: 'bob' }, { prompt: 'look up' });
  const taken = JSON.parse((await sure('getAgentsByAgentPendingNudges', { agent: 'bob' }, undefined, tokens[2])).text).data.nudges;
  for (const { id } of taken) await sure('postAgentsByAgentNudgesByIdDelivered', { agent: 'bob', id }, {}, tokens[2]);
  for (const step of ['', 'Dead']) await sure(`getQueuesByName${step}`, { name: 'jobs' });
  for (const step of ['', 'Posts']) await sure(`getChannelsByName${step}`, { name: 'news' });
  await sure('getGroupsByName', { name: 'crowd' });
  await sure('postGroups', {}, { name: 'few', members: ['alice', 'bob'] });
  await sure('postGroupsByNameMembers', { name: 'few' }, { members: 'carol' });
  await sure('patchGroupsByName', { name: 'few' }, { members: ['bob', 'carol'] });
  await sure('deleteGroupsByNameMembersByMember', { name: 'few', member: 'bob' });
  await sure('deleteGroupsByName', { name: 'few' });
  await sure('postQueues', {}, { name: 'short' });
  for (const step of ['Pause', 'Resume', 'Close']) await sure(`postQueuesByName${step}`, { name: 'short' }, {});
  await sure('deleteQueuesByName', { name: 'short' });
  await sure('postChannels', {}, { name: 'brief' });
  await sure('patchChannelsByName', { name: 'brief' }, { retentionCount: 5 });
  for (const step of ['Close', 'Reopen']) await sure(`postChannelsByName${step}`, { name: 'brief' }, {});
  await sure('deleteChannelsByName', { name: 'brief' });
  for (const { name, path, body } of operations)
    if (!assured.has(name) && !path.includes('{') && !body?.required) await sure(name, {});
}

for (let round = 0; round < rounds; ++round) {
  if (round % 4 === 0) await furnish();
  for (const operation of shuffled(operations)) {
    await send(operation, good_call(operation));
    const [wrong, make] = pick(Object.entries(kWrongs));
    const call = make(good_call(operation), operation);
    // What is looked at by machines takes nothing, and does not mind what else they say.
    const takes_anything = !operation.path.startsWith('/api/') && (wrong !== 'no token' || operation.operation.security?.length === 0);
    if (call && !takes_anything) await send(operation, call, wrong);
  }
}
const alive = await ask(url, { method: 'GET', path: '/healthz' });
if (alive.status !== 200) fail({ name: 'healthz' }, {}, alive, 'the server is not well');
for (const { name } of operations)
  if (!good.get(name) || !assured.has(name)) {
    console.log(`FAILED: ${name} ${assured.has(name) ? 'never succeeded' : 'is not in furnish()'} (${refused.get(name) ?? 0} refusals)`);
    ++failures;
  }
console.log(`${operations.length} operations, ${asked} requests, ${[...good.values()].reduce((a, b) => a + b, 0)} succeeded, ${failures} failures`);
process.exit(failures ? 1 : 0);
