// Every route of a server as a black box: asked rightly, wrongly, by whom it is not for, with too much, with rubbish, and
// byte by byte. A route without a row here fails.
// usage: node routes_test.mjs URL TOKENS long|short, where TOKENS is JSON: human, alice, bob, as_any, of_rig, revoked
import net from 'node:net';
import { ask, document_of } from './api.mjs';

const [, , url, tokens_text, long_run] = process.argv;
const tokens = JSON.parse(tokens_text);
let failures = 0;
function expect(holds, what, more = '') {
  if (holds) return;
  console.log(`FAILED: ${what}`, JSON.stringify(more).slice(0, 800));
  ++failures;
}

// --- asking ------------------------------------------------------------------------------------------------------------
async function send(who, method, path, body, headers = {}) {
  const raw = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const all = { ...headers };
  if (tokens[who]) all.Authorization = `Bearer ${tokens[who]}`;
  if (raw !== undefined) {
    all['Content-Type'] ??= 'application/json';
    all['Content-Length'] = Buffer.byteLength(raw);
  }
  const answer = await ask(url, { method, path, headers: all, body: raw, stream: path.startsWith('/api/events') });
  if (answer.type === 'application/json') answer.json = JSON.parse(answer.text);
  return answer;
}
async function made(who, method, path, body) {
  const answer = await send(who, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json.data;
}

// --- what each route is asked about: fresh for each question, and alice's ------------------------------------------------
let count = 0;
const name = () => `n${++count}`;
/// Mail of the human to alice, for herself and with a secret in it.
const mail = async () => ({ id: (await made('human', 'POST', '/api/mail', { to: 'alice', subject: `SECRET ${name()}`, body: 'SECRET' })).messageId });
const thread = async () => ({ id: (await made('human', 'POST', '/api/mail', { to: 'alice', subject: `SECRET ${name()}`, body: 'SECRET' })).threadId });
const nudge = async () => ({ id: (await made('human', 'POST', '/api/agents/alice/nudge', { message: `SECRET ${name()}`, mode: 'queue' })).id });
/// Lists of hers; queues are the human's to make, and this one is for her.
const group = async () => ({ name: (await made('alice', 'POST', '/api/groups', { name: name(), members: ['alice'] })).name });
const queue = async () => ({ name: (await made('human', 'POST', '/api/queues', { name: name(), claimers: 'alice' })).name });
const work = async () => {
  const { name } = await queue();
  await made('human', 'POST', '/api/mail', { to: `queue:${name}`, subject: 'SECRET', body: 'SECRET' });
  return { queue: name };
};
/// Work that alice has claimed.
let claimed;
const claimed_work = async () => {
  const parts = await work();
  claimed = (await made('alice', 'POST', `/api/queues/${parts.queue}/claim`, {})).id;
  return parts;
};
/// A nudge that alice's program took, before anything else waits for her.
const taken = (await made('human', 'POST', '/api/agents/alice/nudge', { message: 'SECRET' })).id;
await made('alice', 'GET', '/api/agents/alice/pending-nudges');
const channel = async () => ({ name: (await made('alice', 'POST', '/api/channels', { name: name() })).name });
const nothing = async () => ({});

/// `parts` of the path and `body`; then what comes of it when the human asks, when alice does, whose it is, and when bob
/// does, who has nothing to do with it. The last is the security of the town: each row is a decision.
const rows = {
  'GET /healthz': { human: 200, alice: 200, bob: 200, anybody: true },
  'GET /readyz': { human: 200, alice: 200, bob: 200 },
  'GET /metrics': { human: 200, alice: 200, bob: 200 },
  'GET /openapi.json': { human: 200, alice: 200, bob: 200 },
  'GET /api/events': { query: 'agent=alice', human: 200, alice: 200, bob: 200 },
  'GET /api/mail': { query: 'agent=alice', human: 200, alice: 200, bob: 403 },
  'POST /api/mail': { body: { to: 'carol', subject: 's', body: 'b' }, human: 201, alice: 201, bob: 201 },
  'GET /api/mail/identity': { human: 200, alice: 200, bob: 200 },
  'GET /api/mail/unread': { human: 200, alice: 200, bob: 200 },
  'GET /api/mail/thread/{id}': { parts: thread, human: 200, alice: 200, bob: 403 },
  'GET /api/mail/{id}': { parts: mail, human: 200, alice: 200, bob: 403 },
  'GET /api/mail/{id}/explain': { parts: mail, human: 200, alice: 200, bob: 403 },
  'POST /api/mail/{id}/read': { parts: mail, human: 409, alice: 200, bob: 403 },
  'POST /api/mail/{id}/unread': { parts: mail, human: 409, alice: 200, bob: 403 },
  'POST /api/mail/{id}/ack': { parts: mail, human: 409, alice: 200, bob: 403 },
  'POST /api/mail/{id}/archive': { parts: mail, human: 409, alice: 200, bob: 403 },
  'DELETE /api/mail/{id}': { parts: mail, human: 409, alice: 200, bob: 403 },
  'GET /api/agents': { human: 200, alice: 200, bob: 200 },
  'GET /api/agents/{agent}': { parts: async () => ({ agent: 'alice' }), human: 200, alice: 200, bob: 200 },
  'GET /api/agents/{address}/mail': { parts: async () => ({ address: 'alice' }), human: 200, alice: 200, bob: 403 },
  'POST /api/agents/{target}/message': { parts: async () => ({ target: 'alice' }), body: { prompt: 'look' }, human: 409, alice: 409, bob: 409 },
  'POST /api/agents/{target}/nudge': { parts: async () => ({ target: 'alice' }), body: { message: 'look', mode: 'queue' }, human: 201, alice: 201, bob: 201 },
  'POST /api/agents/{agent}/events': { parts: async () => ({ agent: 'alice' }), body: { event: 'idle' }, human: 200, alice: 200, bob: 403 },
  'GET /api/agents/{agent}/pending-nudges': { parts: async () => ({ agent: 'alice' }), human: 200, alice: 200, bob: 403 },
  'POST /api/agents/{agent}/nudges/{id}/delivered': { parts: async () => ({ agent: 'alice', id: taken }), body: {}, human: 403, alice: 200, bob: 403 },
  'GET /api/groups': { human: 200, alice: 200, bob: 200, all_may_know: true },
  'POST /api/groups': { body: () => ({ name: name() }), human: 201, alice: 201, bob: 201 },
  'GET /api/groups/{name}': { parts: group, human: 200, alice: 200, bob: 200, all_may_know: true },
  'PATCH /api/groups/{name}': { parts: group, body: { members: ['carol'] }, human: 200, alice: 200, bob: 403 },
  'POST /api/groups/{name}/members': { parts: group, body: { members: ['carol'] }, human: 200, alice: 200, bob: 403 },
  'DELETE /api/groups/{name}/members/{member}': { parts: async () => ({ ...(await group()), member: 'alice' }), human: 200, alice: 200, bob: 403 },
  'DELETE /api/groups/{name}': { parts: group, human: 200, alice: 200, bob: 403 },
  'GET /api/queues': { human: 200, alice: 200, bob: 200, all_may_know: true },
  'POST /api/queues': { body: () => ({ name: name() }), human: 201, alice: 403, bob: 403 },
  'GET /api/queues/{name}': { parts: queue, human: 200, alice: 200, bob: 200, all_may_know: true },
  'POST /api/queues/{queue}/claim': { parts: work, body: {}, human: 200, alice: 200, bob: 403 },
  'POST /api/queues/{queue}/complete': { parts: claimed_work, body: () => ({ id: claimed }), human: 409, alice: 200, bob: 409 },
  'POST /api/queues/{queue}/fail': { parts: claimed_work, body: () => ({ id: claimed, reason: 'r' }), human: 409, alice: 200, bob: 409 },
  'POST /api/queues/{name}/pause': { parts: queue, body: {}, human: 200, alice: 403, bob: 403 },
  'POST /api/queues/{name}/resume': { parts: queue, body: {}, human: 200, alice: 403, bob: 403 },
  'POST /api/queues/{name}/close': { parts: queue, body: {}, human: 200, alice: 403, bob: 403 },
  'GET /api/queues/{name}/dead': { parts: queue, human: 200, alice: 200, bob: 200, all_may_know: true },
  'DELETE /api/queues/{name}': { parts: queue, human: 200, alice: 403, bob: 403 },
  'GET /api/channels': { human: 200, alice: 200, bob: 200, all_may_know: true },
  'POST /api/channels': { body: () => ({ name: name() }), human: 201, alice: 201, bob: 201 },
  'GET /api/channels/{name}': { parts: channel, human: 200, alice: 200, bob: 200, all_may_know: true },
  'PATCH /api/channels/{name}': { parts: channel, body: { retentionCount: 5 }, human: 200, alice: 200, bob: 403 },
  'GET /api/channels/{name}/posts': { parts: channel, human: 200, alice: 200, bob: 200 },
  'POST /api/channels/{name}/close': { parts: channel, body: {}, human: 200, alice: 200, bob: 403 },
  'POST /api/channels/{name}/reopen': { parts: channel, body: {}, human: 200, alice: 200, bob: 403 },
  'DELETE /api/channels/{name}': { parts: channel, human: 200, alice: 200, bob: 403 },
  'GET /api/nudges': { query: 'agent=alice', human: 200, alice: 200, bob: 200 },
  'GET /api/nudges/{id}': { parts: nudge, human: 200, alice: 200, bob: 403 },
  'GET /api/nudges/{id}/explain': { parts: nudge, human: 200, alice: 200, bob: 403 },
  'GET /api/status': { human: 200, alice: 200, bob: 200 },
  'GET /api/directory': { human: 200, alice: 200, bob: 200 },
  'GET /api/feed': { human: 200, alice: 200, bob: 200 },
};

const bodies = { POST: true, PATCH: true };
async function call_of(route, row) {
  const [method, template] = route.split(' ');
  const parts = await (row.parts ?? nothing)();
  const path = template.replace(/\{(\w+)\}/g, (_, part) => encodeURIComponent(parts[part]));
  const body = typeof row.body === 'function' ? row.body() : row.body;
  return { method, path: row.query ? `${path}?${row.query}` : path, body };
}
const code = (answer) => answer.json?.error?.code;

async function judge(route, row) {
  const { method, path, body } = await call_of(route, row);
  const is_api = path.startsWith('/api/');
  // Whom it is for, and whom it is not for: as alice's own, and as somebody who only says to be alice.
  for (const who of ['human', 'alice', 'bob']) {
    const call = await call_of(route, row);
    const answer = await send(who, call.method, call.path, call.body);
    expect(answer.status === row[who], `${route} by ${who}: ${answer.status}, not ${row[who]}`, answer.text);
    if (who === 'bob' && answer.text) expect(!answer.text.includes('SECRET'), `${route} tells bob a secret`, answer.text);
    if (answer.status === 403) expect(code(answer) === 'FORBIDDEN', `${route} by ${who}`, answer.json);
  }
  if (row.anybody) return;
  for (const [who, headers, status] of [
    ['nobody', {}, 401],
    ['revoked', {}, 401],
    ['bob', { 'Townpost-As': 'alice' }, 403],
    ['of_rig', { 'Townpost-As': 'alice' }, 403],
    ['as_any', { 'Townpost-As': 'overseer' }, 403],
  ]) {
    const answer = await send(who, method, path, body, headers);
    // What all may know is told without a look at who asks.
    const passes = status === 403 && (!is_api || row.all_may_know);
    expect(answer.status === status || (passes && answer.status === 200), `${route} by ${who}: ${answer.status}, not ${status}`, answer.text);
  }
  const as_alice = await call_of(route, row);
  const stand_in = await send('as_any', as_alice.method, as_alice.path, as_alice.body, { 'Townpost-As': 'alice' });
  expect(stand_in.status === row.alice, `${route} by any agent's token as alice: ${stand_in.status}`, stand_in.text);
  // Of another site's page, and for another host.
  for (const headers of [{ Origin: 'https://evil.example' }, { Host: 'evil.example' }, { Origin: 'null' }])
    expect((await send('human', method, path, body, headers)).status === 403, `${route} from a page of another site`, headers);
  // Wrongly: the method, a field, the body.
  const other = await send('human', 'PUT', path, method === 'GET' ? undefined : body);
  expect(other.status === 405 || (!is_api && other.status === 404), `${route} by PUT: ${other.status}`, other.text);
  if (other.status === 405) expect(other.headers.allow?.split(', ').includes(method), `${route}: Allow is ${other.headers.allow}`);
  if (!is_api) return;
  if (bodies[method]) {
    const wrong = await send('human', method, path, { ...body, 'no such field': 1 });
    expect(wrong.status === 400 && code(wrong) === 'VALIDATION_ERROR' && wrong.json.error.message.includes('no such field'), `${route} with an unknown field`, wrong.text);
    for (const rubbish of ['{', '[1]', 'null', '"x"', '['.repeat(10000), '\u0000\u0001'])
      expect((await send('human', method, path, rubbish)).status === 400, `${route} with ${rubbish.slice(0, 10)}`);
    expect((await send('human', method, path, 'a=b', { 'Content-Type': 'application/x-www-form-urlencoded' })).status === 415, `${route} with a form`);
    const much = await send('human', method, path, `{"subject":"${'x'.repeat(8 << 20)}"}`).catch((error) => ({ status: 413, why: error.code }));
    expect(much.status === 413, `${route} with over 8 MiB: ${much.status}`);
  } else {
    const wrong = await send('human', method, `${path}${path.includes('?') ? '&' : '?'}nosuch=1`);
    expect(wrong.status === 400 && wrong.json.error.message.includes('nosuch'), `${route} with an unknown parameter`, wrong.text);
    expect((await send('human', method, path, '{"x":1}')).status === 400, `${route} with a body`);
  }
  const heads = await send('human', method, path, body, { 'X-Long': 'x'.repeat(16 << 10) });
  expect(heads.status === 431, `${route} with a long head: ${heads.status}`);
  // Something that is not there.
  if (row.parts) {
    const nowhere = route.split(' ')[1].replace(/\{(\w+)\}/g, (_, part) => (part === 'id' ? 'hq-m-zzzzz' : 'no-such-one'));
    const answer = await send('human', method, nowhere.replace('/nudges/hq-m', '/nudges/hq-n').replace('/thread/hq-m-zzzzz', '/thread/thread-000000000000'), body);
    expect(answer.status === 404 && code(answer) === 'NOT_FOUND', `${route} of what is not there: ${answer.status}`, answer.text);
    for (const part of ['%ff', '%00', '%0d%0aX-A:1', '..%2f..', '%e2%80%ae', 'x'.repeat(4000)]) {
      const odd = await send('human', method, route.split(' ')[1].replace(/\{\w+\}/g, part), body);
      expect(odd.status >= 400 && odd.status < 500, `${route} of ${part.slice(0, 12)}: ${odd.status}`, odd.text);
    }
  }
}

/// The same request byte by byte.
async function slowly(route, row) {
  const { method, path, body } = await call_of(route, row);
  const raw = body === undefined ? '' : JSON.stringify(body);
  const { hostname, port, host } = new URL(url);
  const text = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens.human}\r\n` + (raw ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(raw)}\r\n` : '') + `Connection: close\r\n\r\n${raw}`;
  const status = await new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    socket.setNoDelay(true);
    socket.on('error', reject);
    let got = '';
    socket.on('data', (data) => {
      got += data;
      const found = got.match(/^HTTP\/1\.1 (\d+)/);
      if (found) {
        resolve(Number(found[1]));
        socket.destroy();
      }
    });
    let at = 0;
    const next = () => {
      if (at < text.length && !socket.destroyed) socket.write(text[at++], () => setImmediate(next));
    };
    socket.on('connect', next);
  });
  expect(status === row.human, `${route} byte by byte: ${status}`);
}

/// A request whose last byte never comes: what the server says before it hangs up.
async function stalled(route, row) {
  const { method, path, body } = await call_of(route, row);
  const { hostname, port, host } = new URL(url);
  const raw = body === undefined ? '' : JSON.stringify(body);
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens.human}\r\n${raw ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(raw)}\r\n` : ''}\r\n`;
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname, () => socket.write((head + raw).slice(0, -1)));
    let got = '';
    socket.on('data', (data) => (got += data));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ route, got }));
  });
}

const document = await document_of(url, tokens.human);
const routes = Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
for (const route of routes) expect(rows[route], `${route} has no row: who may ask for it is not tried`);
for (const route of Object.keys(rows)) expect(routes.includes(route), `there is no ${route}`);
// Meanwhile some never finish what they ask. A body may take longer than a head, so those are for the long run.
const waiting = [];
for (const route of routes.filter((one) => rows[one] && (long_run === 'long' || !bodies[one.split(' ')[0]]))) waiting.push(stalled(route, rows[route]));
for (const route of routes.filter((one) => rows[one])) {
  try {
    await judge(route, rows[route]);
    await slowly(route, rows[route]);
  } catch (error) {
    expect(false, `${route}: ${error.stack}`);
  }
}
for (const { route, got } of await Promise.all(waiting)) expect(got.startsWith('HTTP/1.1 408 '), `${route} that never ends`, got);
expect((await send('human', 'GET', '/readyz')).status === 200, 'the server is not well afterwards');
console.log(`${routes.length} routes, ${waiting.length} of them left waiting, ${failures} failures`);
process.exit(failures ? 1 : 0);
