// The TypeScript client against a real server.
// usage: node client_test.js URL HUMAN ALICE
import net, { type AddressInfo } from 'node:net';
import assert from 'node:assert/strict';
import { Townpost, TownpostError, type TownEvent, type Receipt } from './townpost.js';

const [, , url, human_token, alice_token] = process.argv as [string, string, string, string, string];
const human = new Townpost({ url, token: human_token });
const alice = new Townpost({ url: `${url}/`, token: alice_token });

const failed = (code: string, status: number) => (error: unknown) => error instanceof TownpostError && error.code === code && error.status === status;

// Mail: sent, listed, opened, answered.
const sent: Receipt = await human.postMail({ to: 'alice', subject: 'Hi', body: 'there', priority: 'high' });
const mail = await alice.getMailById(sent.messageId);
assert.equal(mail.subject, 'Hi');
assert.equal(mail.priority, 1);
assert.equal((await alice.getMailUnread()).count, 1);
await alice.postMailByIdRead(sent.messageId);
assert.equal((await alice.getMailUnread()).count, 0);
const reply = await alice.postMail({ to: ['overseer'], subject: 'RE: Hi', body: 'yes', replyTo: sent.messageId });
assert.equal(reply.threadId, sent.threadId);
assert.deepEqual((await human.getMailThreadById(sent.threadId)).messages?.map((one) => one.subject), ['Hi', 'RE: Hi']);
const page = await human.getMail({ limit: 1, all: true });
assert.equal(page.items.length, 1);
assert.ok(page.hasMore && page.nextCursor !== null);
assert.ok((await human.getAgents()).some((one) => one.id === 'alice'));
await human.postQueues({ name: 'work', claimers: '*' });
assert.equal(await alice.postQueuesByQueueClaim('work'), null);
assert.equal((await human.getAgentsByAddressMail('mayor/')).total, 0);

// What is refused is told as it is.
await assert.rejects(human.getMailById('hq-m-zzzzz'), failed('NOT_FOUND', 404));
await assert.rejects(alice.getMail({ all: true }), failed('FORBIDDEN', 403));
await assert.rejects(new Townpost({ url, token: 'gt_tok-1_x' }).getMail(), failed('UNAUTHORIZED', 401));
await assert.rejects(new Townpost({ url: 'http://127.0.0.1:1' }).getMail(), failed('UNREACHABLE', 0));
await assert.rejects(new Townpost({ url, token: 'gt_tok-1_x' }).events().next(), failed('UNAUTHORIZED', 401));
// The compiler refuses it as well.
// @ts-expect-error: there is no such field
await assert.rejects(human.postMail({ to: 'alice', subject: 's', body: 'b', colour: 'red' }), failed('VALIDATION_ERROR', 400));
// @ts-expect-error: the body is missing
await assert.rejects(human.postMail({ to: 'alice', subject: 's' }), failed('VALIDATION_ERROR', 400));
// @ts-expect-error: there is no such kind
await assert.rejects(human.events({ kind: ['mail_lost'] }).next(), failed('VALIDATION_ERROR', 400));

// Events, over a line that breaks again and again: each once, in order.
const { hostname, port } = new URL(url);
let connections = 0;
const line = net.createServer((client) => {
  const server = net.connect(Number(port), hostname);
  let left = 1500 + 700 * (++connections % 4);
  client.on('error', () => {}).on('close', () => server.destroy());
  server.on('error', () => {}).on('close', () => client.destroy());
  client.pipe(server);
  server.on('data', (data) => {
    client.write(data.subarray(0, left));
    left -= data.length;
    if (left <= 0) server.destroy();
  });
});
await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
const through = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
const followed = new Townpost({ url: through, token: alice_token });
const kSends = 40;
const ending = new AbortController();
const seen: TownEvent[] = [];
const last = await (async () => {
  const stream = alice.events({ kind: ['mail_received'], after: 0 });
  const first = await stream.next();
  await stream.return();
  assert.ok(!first.done);
  assert.equal(first.value.data.subject, 'Hi');
  return first.value.id;
})();
const following = (async () => {
  for await (const event of followed.events({ kind: ['mail_received'], agent: ['alice'], after: last, signal: ending.signal })) {
    seen.push(event);
    if (event.data.subject === `number ${kSends}`) ending.abort();
  }
})();
for (let i = 1; i <= kSends; ++i) await human.postMail({ to: 'alice', subject: `number ${i}`, body: 'x'.repeat(50) });
await following;
assert.deepEqual(
  seen.map((event) => event.data.subject).filter((subject) => subject?.startsWith('number ')),
  Array.from({ length: kSends }, (_, i) => `number ${i + 1}`),
);
assert.ok(seen.every((event, i) => i === 0 || event.id > seen[i - 1]!.id));
assert.ok(connections > 3, `the line broke only ${connections - 1} times`);
line.close();
console.log(`${seen.length} events over ${connections} connections with node ${process.version}`);
