// The OpenAPI document of a server, before a validator that is not ours.
// usage: node document_test.mjs URL MODULES TOKEN
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { document_of, operations_of } from '../server/api.mjs';

const [, , url, modules, token] = process.argv;
const { Validator } = await import(pathToFileURL(join(modules, '@seriousme/openapi-schema-validator/index.js')));

let failures = 0;
function expect(holds, what, more = '') {
  if (holds) return;
  console.log(`FAILED: ${what}`, JSON.stringify(more).slice(0, 2000));
  ++failures;
}
const document = await document_of(url, token);
expect(document.openapi.startsWith('3.1.'), 'it is not OpenAPI 3.1', document.openapi);
const judged = await new Validator().validate(structuredClone(document));
expect(judged.valid, 'the document is not valid', judged.errors);
// And the validator finds what is wrong.
for (const spoil of [
  (d) => delete d.info,
  (d) => (d.paths['/api/mail'].get.parameters[0].in = 'nowhere'),
  (d) => delete d.paths['/api/mail'].post.requestBody.content,
  (d) => (d.paths['api/mail'] = d.paths['/api/mail']),
]) {
  const spoilt = structuredClone(document);
  spoil(spoilt);
  expect(!(await new Validator().validate(spoilt)).valid, 'a spoilt document is taken', spoil.toString());
}

// What a schema of documents cannot say.
const names = new Set();
for (const { name, path, parameters, body } of operations_of(document, modules)) {
  expect(!names.has(name), 'two operations have one name', name);
  names.add(name);
  const in_path = parameters.filter((one) => one.in === 'path').map((one) => one.name).sort();
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map((one) => one[1]).sort();
  expect(in_path.join() === parts.join(), 'the parts of a path are not its parameters', [name, in_path, parts]);
  for (const wanted of body?.required ?? []) expect(body.properties[wanted], 'what is required is not known', [name, wanted]);
}
expect(names.size >= 50, 'only some operations are there', names.size);
const refs = new Set([...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((one) => one[1]));
for (const ref of refs) expect(ref.split('/').reduce((at, key) => at?.[key], document), 'a reference leads nowhere', ref);

console.log(`${names.size} operations, ${refs.size} references, ${failures} failures`);
process.exit(failures ? 1 : 0);
