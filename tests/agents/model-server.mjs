// A model that answers from a list of rules, for the real agent programs: Anthropic messages, OpenAI chat completions and
// OpenAI responses, on loopback. README.md says how it is called and what it logs. Node 18, no packages.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const options = Object.fromEntries(
  process.argv.slice(2).flatMap((word, i, words) => (word.startsWith("--") ? [[word.slice(2), words[i + 1]]] : [])),
);
const usage = { input_tokens: 10, output_tokens: 5 };
const spent = new Set(); // rules that said "once" and were applied
let count = 0;

// --- what was asked --------------------------------------------------------------------------------------------------

// The text of whatever the three APIs put where text may stand: strings, parts, tool results, tool outputs.
function textOf(value) {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join("\n");
  if (value && typeof value === "object") return textOf(value.text ?? value.content ?? value.output ?? "");
  return "";
}

const isAnswer = (item) =>
  item.role === "assistant" || ["function_call", "reasoning", "custom_tool_call"].includes(item.type);

// The last turn is everything after the model's last answer: what it has not seen yet. What stands before the first words
// of a user is the system's.
function read(body) {
  const items = body.messages ?? (Array.isArray(body.input) ? body.input : [{ role: "user", content: body.input }]);
  const opening = items.findIndex((item) => !["system", "developer"].includes(item.role));
  const last = items.slice(Math.max(opening, items.map(isAnswer).lastIndexOf(true) + 1));
  const all = [textOf(body.system ?? body.instructions), textOf(items)].filter(Boolean).join("\n");
  return { text: textOf(last), all };
}

// Questions that an agent asks beside the conversation. Titles and topics come without tools; a compaction has them, and
// is told by its words.
const isAside = (body, text) =>
  !body.tools?.length || text.includes("Your task is to create a detailed summary of the conversation");

// --- what is answered ------------------------------------------------------------------------------------------------

function ruleFor(text) {
  const rules = options.rules && existsSync(options.rules) ? JSON.parse(readFileSync(options.rules, "utf8")) : [];
  const rule = rules.find((r) => text.includes(r.when ?? "") && !(r.once && spent.has(JSON.stringify(r))));
  if (rule?.once) spent.add(JSON.stringify(rule));
  return rule ?? {};
}

// Each API gives the events of a stream, [name, data], and the answer as a whole.
const apis = {
  messages(id, model, text, tool) {
    const blocks = [];
    if (text) blocks.push({ type: "text", text });
    if (tool) blocks.push({ type: "tool_use", id: `toolu_${id}`, name: tool.name, input: tool.input ?? {} });
    const stop_reason = tool ? "tool_use" : "end_turn";
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
    const events = [{ type: "message_start", message: { ...message, content: [], stop_reason: null, usage } }];
    blocks.forEach((block, index) => {
      const [empty, delta] =
        block.type === "text"
          ? [{ type: "text", text: "" }, { type: "text_delta", text }]
          : [{ ...block, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
      events.push({ type: "content_block_start", index, content_block: empty });
      events.push({ type: "content_block_delta", index, delta });
      events.push({ type: "content_block_stop", index });
    });
    events.push({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage });
    events.push({ type: "message_stop" });
    return { events: events.map((e) => [e.type, e]), whole: { ...message, content: blocks, stop_reason, usage } };
  },

  completions(id, model, text, tool) {
    const calls = tool && [
      { id: `call_${id}`, type: "function", function: { name: tool.name, arguments: JSON.stringify(tool.input ?? {}) } },
    ];
    const finish_reason = tool ? "tool_calls" : "stop";
    const tokens = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const head = { id: `chatcmpl-${id}`, created: 0, model };
    const chunk = (delta, finish = null) => [
      null,
      { ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] },
    ];
    const events = [chunk({ role: "assistant", content: text ?? "" })];
    if (calls) events.push(chunk({ tool_calls: [{ index: 0, ...calls[0] }] }));
    const [, closing] = chunk({}, finish_reason);
    events.push([null, { ...closing, usage: tokens }], [null, "[DONE]"]);
    const message = { role: "assistant", content: text ?? null, tool_calls: calls };
    const whole = { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage: tokens };
    return { events, whole };
  },

  responses(id, model, text, tool) {
    const items = [];
    if (text)
      items.push({
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      });
    if (tool)
      items.push({
        type: "function_call",
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: tool.name,
        arguments: JSON.stringify(tool.input ?? {}),
        status: "completed",
      });
    const tokens = { ...usage, total_tokens: 15 };
    const response = { id: `resp_${id}`, object: "response", created_at: 0, model, status: "in_progress", output: [] };
    const events = [{ type: "response.created", response }];
    items.forEach((item, output_index) => {
      const empty = item.type === "message" ? { ...item, content: [] } : { ...item, arguments: "" };
      events.push({ type: "response.output_item.added", output_index, item: { ...empty, status: "in_progress" } });
      if (item.type === "message")
        events.push({ type: "response.output_text.delta", item_id: item.id, output_index, content_index: 0, delta: text });
      events.push({ type: "response.output_item.done", output_index, item });
    });
    const whole = { ...response, status: "completed", output: items, usage: tokens };
    events.push({ type: "response.completed", response: whole });
    return { events: events.map((e) => [e.type, e]), whole };
  },
};

const kinds = [
  [/\/v1\/messages$/, "messages"],
  [/\/chat\/completions$/, "completions"],
  [/\/responses$/, "responses"],
];

function sendJson(answer, value, status = 200) {
  answer.writeHead(status, { "content-type": "application/json" });
  answer.end(JSON.stringify(value));
}

async function answerModel(api, path, body, answer) {
  const { text, all } = read(body);
  const aside = isAside(body, text);
  const n = ++count;
  const entry = { n, at: new Date().toISOString(), api, path, model: body.model, ...(aside && { aside }), text, all };
  if (options.log) appendFileSync(options.log, JSON.stringify(entry) + "\n");
  if (options.raw) appendFileSync(options.raw, JSON.stringify({ n, path, body }) + "\n");

  const rule = aside ? {} : ruleFor(text);
  await sleep(rule.delay_ms ?? 0);
  if (answer.destroyed) return;
  if (rule.status) {
    const error = { type: rule.status === 529 ? "overloaded_error" : "api_error", message: rule.text ?? "said the rules" };
    return sendJson(answer, { type: "error", error }, rule.status);
  }
  const { events, whole } = apis[api](n, body.model, rule.text ?? (rule.tool ? undefined : "ok"), rule.tool);
  if (!body.stream) return sendJson(answer, whole);
  answer.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const [name, data] of events)
    answer.write((name ? `event: ${name}\n` : "") + `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  answer.end();
}

const server = createServer(async (request, answer) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = new URL(request.url, "http://localhost").pathname;
  const api = request.method === "POST" && kinds.find(([pattern]) => pattern.test(path))?.[1];
  try {
    const body = api && JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (api) await answerModel(api, path, body, answer);
    else if (path.endsWith("/count_tokens")) sendJson(answer, { input_tokens: 10 });
    else if (path === "/") sendJson(answer, {});
    else sendJson(answer, { type: "error", error: { type: "not_found_error", message: `no ${path} here` } }, 404);
  } catch (error) {
    process.stderr.write(`${request.method} ${path}: ${error.stack}\n`);
    if (!answer.headersSent) sendJson(answer, { type: "error", error: { type: "api_error", message: String(error) } }, 500);
  }
});
server.listen(Number(options.port ?? 0), "127.0.0.1", () => console.log(`listening ${server.address().port}`));
