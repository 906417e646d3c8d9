// Writes api.ts: the types and calls of a server's OpenAPI document.
// usage: node generate.mjs <openapi.json >api.ts
import { readFileSync } from 'node:fs';

const document = JSON.parse(readFileSync(0, 'utf8'));

const pascal = (name) => name.replace(/(^|[_-])([a-z])/g, (_, _before, letter) => letter.toUpperCase());
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const comment = (text, indent) => (text ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : '');

/// A schema as a type.
function type(schema, indent = '') {
  if (schema.$ref) return pascal(schema.$ref.split('/').at(-1));
  if (schema.anyOf) return union(schema.anyOf.map((one) => type(one, indent)));
  if (schema.enum) return union(schema.enum.map((one) => JSON.stringify(one)));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.type)) return union(schema.type.map((one) => type({ ...schema, type: one }, indent)));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = type(schema.items, indent);
      return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
    }
    case 'object':
      if (!schema.properties) return `Record<string, ${schema.additionalProperties ? type(schema.additionalProperties, indent) : 'unknown'}>`;
      return `{\n${fields(schema, `${indent}  `)}${indent}}`;
    default:
      return 'unknown';
  }
}
const union = (types) => [...new Set(types)].join(' | ');
function fields({ properties, required = [] }, indent) {
  return Object.entries(properties)
    .map(([name, schema]) => `${comment(schema.description, indent)}${indent}${key(name)}${required.includes(name) ? '' : '?'}: ${type(schema, indent)};\n`)
    .join('');
}

const out = [];
out.push("// Made by generate.mjs from the server's OpenAPI document; changes here are lost.\n");
for (const [name, schema] of Object.entries(document.components.schemas))
  out.push(`${comment(schema.description, '')}export ${schema.type === 'object' && schema.properties ? `interface ${pascal(name)} ${type(schema)}` : `type ${pascal(name)} = ${type(schema)};`}\n`);
const failure = document.components.responses.Failure.content['application/json'].schema.properties.error;
out.push(`export interface Failure ${type(failure)}\n`);
const kinds = document.paths['/api/events'].get.parameters.find(({ name }) => name === 'kind').schema.items;
out.push(`export type EventKind = ${type(kinds)};\n`);

const calls = [];
for (const [path, methods] of Object.entries(document.paths))
  for (const [method, operation] of Object.entries(methods)) {
    const answer = Object.entries(operation.responses).find(([status]) => status !== 'default')[1];
    const schema = answer.content['application/json']?.schema;
    if (!schema?.properties?.data) continue;  // a stream, a text, the document itself
    const parameters = operation.parameters ?? [];
    const words = [];
    for (const { name } of parameters.filter((one) => one.in === 'path')) words.push(`${name}: string`);
    const query = parameters.filter((one) => one.in === 'query');
    if (query.length) {
      const needed = query.filter((one) => one.required).map((one) => one.name);
      const shape = { properties: Object.fromEntries(query.map((one) => [one.name, { ...one.schema, description: one.description }])), required: needed };
      words.push(`query: {\n${fields(shape, '    ')}  }${needed.length ? '' : ' = {}'}`);
    }
    const body = operation.requestBody?.content['application/json'].schema;
    if (body) words.push(`body: ${type(body, '  ')}${operation.requestBody.required ? '' : ' = {}'}`);
    const place = `\`${path.replace(/\{(\w+)\}/g, '${encodeURIComponent($1)}')}\``;
    const rest = [query.length ? 'query' : body ? '{}' : '', body ? 'body' : ''].filter(Boolean);
    const result = type(schema.properties.data, '  ');
    calls.push(`${comment(operation.summary, '  ')}  ${operation.operationId}(${words.join(', ')}): Promise<${result}> {\n    return this.call(${[`'${method.toUpperCase()}'`, place, ...rest].join(', ')});\n  }\n`);
  }
out.push(`/** Every call of the API. Names are those of the document's operations. */
export abstract class Calls {
  protected abstract call<T>(method: string, path: string, query?: Record<string, unknown>, body?: unknown): Promise<T>;

${calls.join('\n')}}
`);
process.stdout.write(out.join('\n'));
