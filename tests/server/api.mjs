// The HTTP API of a server, as these tests ask it: requests as they stand, answers held against the OpenAPI document.
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });

/// Sends exactly this; path and query are not tidied up. Once the head is there of a stream.
export function ask(url, { method, path, headers = {}, body, stream = false }) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers, agent: stream ? undefined : agent });
    request.on('error', reject);
    request.on('response', (response) => {
      const answer = { status: response.statusCode, type: (response.headers['content-type'] ?? '').split(';')[0], headers: response.headers };
      if (stream && answer.type === 'text/event-stream') {
        response.on('error', () => {});
        resolve(answer);
        request.destroy();
        return;
      }
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve({ ...answer, text: Buffer.concat(parts).toString() }));
    });
    if (body !== undefined) request.write(body);
    request.end();
  });
}

export async function document_of(url, token) {
  const answer = await ask(url, { method: 'GET', path: '/openapi.json', headers: { Authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`there is no document: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text);
}

/// Every operation of a document, with what checks its answers. A key that the document does not name does not fit.
export function operations_of(document, modules) {
  const require = createRequire(join(modules, 'ajv', 'package.json'));
  const Ajv = require('ajv/dist/2020').default;
  const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  const closed = (schema) => {
    if (Array.isArray(schema)) return schema.map(closed);
    if (schema === null || typeof schema !== 'object') return schema;
    const out = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
    if (out.type === 'object' && out.properties && out.additionalProperties === undefined) out.additionalProperties = false;
    return out;
  };
  const $defs = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [name, JSON.parse(JSON.stringify(closed(schema)).replaceAll('#/components/schemas/', '#/$defs/'))]),
  );
  const compile = (schema) => ajv.compile({ ...JSON.parse(JSON.stringify(closed(schema)).replaceAll('#/components/schemas/', '#/$defs/')), $defs });
  const failure = compile(document.components.responses.Failure.content['application/json'].schema);
  const out = [];
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const good = Object.entries(operation.responses).find(([status]) => status !== 'default');
      const [type, { schema }] = Object.entries(good[1].content)[0];
      out.push({
        name: operation.operationId,
        method: method.toUpperCase(),
        path,
        operation,
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content['application/json'].schema,
        status: Number(good[0]),
        type,
        fits: type === 'application/json' ? compile(schema) : () => true,
        failure,
      });
    }
  return out;
}

const kWords = {
  400: 'VALIDATION_ERROR', 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED', 408: 'TIMEOUT',
  409: 'CONFLICT', 413: 'PAYLOAD_TOO_LARGE', 415: 'UNSUPPORTED_MEDIA_TYPE', 429: 'RATE_LIMITED', 431: 'HEADERS_TOO_LARGE',
  503: 'UNAVAILABLE',
};

/// What is wrong with this answer of an operation; nothing if it keeps the promises of the document.
export function broken_promise(operation, answer) {
  if (answer.status === operation.status && answer.type !== 'application/json') return answer.type === operation.type ? null : `the answer is ${answer.type}`;
  if (answer.type !== 'application/json') return `the answer is ${answer.type || 'of no type'}`;
  let json;
  try {
    json = JSON.parse(answer.text);
  } catch {
    return 'the answer is no JSON';
  }
  if (answer.status === operation.status) return operation.fits(json) ? null : JSON.stringify(operation.fits.errors);
  if (!kWords[answer.status]) return `the status is ${answer.status}`;
  if (!operation.failure(json)) return JSON.stringify(operation.failure.errors);
  return json.error.code === kWords[answer.status] ? null : `${answer.status} says ${json.error.code}`;
}
