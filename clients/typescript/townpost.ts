// A client of a town's server, for Node 18 and browsers; it needs nothing but fetch.
import { Calls, type EventKind, type Failure, type FeedEntry } from './api.js';

export * from './api.js';

export interface Options {
  /** Where the server is: "http://127.0.0.1:8420". */
  url: string;
  /** A page that was opened by a link of `gt open` needs none: its cookie says who it is. */
  token?: string;
  /** Whom a token for several agents speaks for in this client. */
  as?: string;
  /** How long an answer may take, in milliseconds; 30,000 if it is left out. */
  timeout?: number;
}

/** What the server refused, or that it could not be reached (status 0). */
export class TownpostError extends Error {
  constructor(
    readonly status: number,
    readonly code: Failure['code'] | 'UNREACHABLE',
    message: string,
    readonly details: NonNullable<Failure['details']> = {},
  ) {
    super(message);
    this.name = 'TownpostError';
  }
}

/** What happened. `id` is its number in the town's log; `resync` says that some of what you missed is no longer kept. */
export interface TownEvent {
  id: number;
  kind: EventKind | 'resync';
  data: Partial<FeedEntry> & { id?: string; subject?: string; preview?: string; threadId?: string };
}

export interface Follow {
  kind?: EventKind[];
  agent?: string[];
  thread?: string;
  /** The last event that you know of; without it you are told what happens from now on. */
  after?: number;
  /** Ends the stream. */
  signal?: AbortSignal;
}

// The server says something at least every 15 seconds.
const kSilence = 45_000;
const kFirstPause = 500;
const kLongestPause = 30_000;

export class Townpost extends Calls {
  readonly #options: Options;

  constructor(options: Options) {
    super();
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
  }

  protected async call<T>(method: string, path: string, query: object = {}, body?: unknown): Promise<T> {
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), this.#options.timeout ?? 30_000);
    try {
      const answer = await this.#fetch(path, query, {
        method,
        headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: ending.signal,
      });
      const told = (await answer.json()) as { success: true; data: T } | { success: false; error: Failure };
      if (told.success) return told.data;
      throw refusal(answer.status, told.error);
    } catch (error) {
      throw error instanceof TownpostError ? error : unreachable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * What happens in the town, as it happens, in order and each event once. A connection that breaks is made again, and
   * goes on where the last one was. Ends with `signal`, or when the server says that it will never answer this.
   */
  async *events(follow: Follow = {}): AsyncGenerator<TownEvent, void, void> {
    const { signal, after, ...filter } = follow;
    let last = after === undefined ? '' : String(after);
    let pause = kFirstPause;
    while (!signal?.aborted) {
      const ending = new AbortController();
      const end = () => ending.abort();
      signal?.addEventListener('abort', end);
      let timer = setTimeout(end, kSilence);
      try {
        const headers: Record<string, string> = last === '' ? {} : { 'Last-Event-ID': last };
        const answer = await this.#fetch('/api/events', filter, { headers, signal: ending.signal });
        if (!answer.ok || !answer.body) {
          const told = (await answer.json().catch(() => ({}))) as { error?: Failure };
          throw refusal(answer.status, told.error ?? { code: 'INTERNAL_ERROR', message: `the server answers ${answer.status}` });
        }
        const frames = new Frames();
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          clearTimeout(timer);
          timer = setTimeout(end, kSilence);
          for (const frame of frames.of(part.value)) {
            pause = kFirstPause;
            last = frame.id || last;
            if (frame.event !== 'connected')
              yield { id: Number(frame.id), kind: frame.event as TownEvent['kind'], data: JSON.parse(frame.data) };
          }
        }
      } catch (error) {
        if (signal?.aborted) return;
        const final = error instanceof TownpostError && error.status >= 400 && error.status < 500 && error.status !== 429;
        if (final) throw error;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        ending.abort();
      }
      await sleep(pause, signal);
      pause = Math.min(pause * 2, kLongestPause);
    }
  }

  #fetch(path: string, query: object, init: RequestInit): Promise<Response> {
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null) words.append(name, String(one));
    const { url, token, as } = this.#options;
    const headers = { ...(init.headers as Record<string, string>) };
    if (token) headers['Authorization'] = `Bearer ${token}`;
    if (as) headers['Townpost-As'] = as;
    const asked = words.toString();
    return fetch(`${url}${path}${asked ? `?${asked}` : ''}`, { ...init, headers, credentials: 'same-origin', redirect: 'error' });
  }
}

function refusal(status: number, error: Failure): TownpostError {
  return new TownpostError(status, error.code, error.message, error.details);
}

function unreachable(error: unknown): TownpostError {
  const cause = error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
  return new TownpostError(0, 'UNREACHABLE', `the server cannot be reached: ${cause}`);
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}

interface Frame {
  id: string;
  event: string;
  data: string;
}

// Puts frames of server-sent events together from whatever pieces arrive.
class Frames {
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];

  *of(text: string): Generator<Frame> {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const whole of lines) {
      const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
      if (line === '') {
        if (this.#data.length > 0) yield { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') };
        this.#event = '';
        this.#data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'id') this.#id = value;
      else if (name === 'event') this.#event = value;
      else if (name === 'data') this.#data.push(value);
    }
  }
}
