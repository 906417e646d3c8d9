// Made by generate.mjs from the server's OpenAPI document; changes here are lost.

export interface Copy {
  address: string;
  cc: boolean;
  state: "waiting" | "offered" | "delivered" | "read" | "acked" | "archived" | "deleted" | "available" | "processing" | "completed" | "dead" | "posted" | "recalled";
}

export interface SentMessage {
  id: string;
  /** grows with time; what a cursor names */
  seq: number;
  from: string;
  /** how the sender is known */
  fromGrade: "token" | "pane" | "env" | "flag" | "script";
  /** the first recipient */
  to: string;
  cc: string[];
  subject: string;
  /** left out where the caller may not read it */
  body?: string;
  timestamp: string;
  /** of the caller's copy; of work: somebody has had it */
  read: boolean;
  /** 0 is urgent */
  priority: number;
  type: "notification" | "task" | "scavenge" | "reply" | "escalation";
  /** what programs act on */
  protocolType?: string;
  threadId: string;
  replyTo: string | null;
  ackRequired: boolean;
  pinned: boolean;
  /** dropped some time after it was read */
  wisp: boolean;
  queue?: string;
  queueState?: "available" | "processing" | "completed" | "dead" | "deleted";
  attempts?: number;
  claimedBy?: string;
  claimedAt?: string;
  leaseUntil?: string;
  /** why the last attempt failed */
  reason?: string;
  channel?: string;
  labels: string[];
  /** how many agents it went through */
  hops?: number;
  replyBy?: string;
  /** the rule that holds it */
  heldBy?: string;
  bead?: string;
  forPreviousHolder?: boolean;
  /** where the caller has no copy: whose it is, an address or a queue */
  copyOf?: string;
  deliveredAt?: string;
  readAt?: string;
  ackedAt?: string;
  archivedAt?: string;
  recipients: Copy[];
  /** of the traffic between programs */
  isInfrastructure: boolean;
}

export interface Recipient {
  address: string;
  state: "queued" | "held" | "muted" | "blocked" | "asleep" | "no-session";
  reason: string;
  /** what wakes it */
  nudgeId?: string;
}

export interface Receipt {
  messageId: string;
  threadId: string;
  recipients: Recipient[];
  /** the same was sent a moment ago; nothing new is stored */
  duplicate?: boolean;
  /** this key was used before; this is the answer it got then */
  repeated?: boolean;
}

export interface Identity {
  address: string;
  grade: string;
  role: string;
  /** what says so */
  how: string;
}

export interface Addressee {
  address: string;
  cc: boolean;
  state?: string;
  reason?: string;
}

export interface Message {
  id: string;
  /** grows with time; what a cursor names */
  seq: number;
  from: string;
  /** how the sender is known */
  fromGrade: "token" | "pane" | "env" | "flag" | "script";
  /** the first recipient */
  to: string;
  cc: string[];
  subject: string;
  /** left out where the caller may not read it */
  body?: string;
  timestamp: string;
  /** of the caller's copy; of work: somebody has had it */
  read: boolean;
  /** 0 is urgent */
  priority: number;
  type: "notification" | "task" | "scavenge" | "reply" | "escalation";
  /** what programs act on */
  protocolType?: string;
  threadId: string;
  replyTo: string | null;
  ackRequired: boolean;
  pinned: boolean;
  /** dropped some time after it was read */
  wisp: boolean;
  queue?: string;
  queueState?: "available" | "processing" | "completed" | "dead" | "deleted";
  attempts?: number;
  claimedBy?: string;
  claimedAt?: string;
  leaseUntil?: string;
  /** why the last attempt failed */
  reason?: string;
  channel?: string;
  labels: string[];
  /** how many agents it went through */
  hops?: number;
  replyBy?: string;
  /** the rule that holds it */
  heldBy?: string;
  bead?: string;
  forPreviousHolder?: boolean;
  /** where the caller has no copy: whose it is, an address or a queue */
  copyOf?: string;
  deliveredAt?: string;
  readAt?: string;
  ackedAt?: string;
  archivedAt?: string;
  recipients: Addressee[];
  /** of the traffic between programs */
  isInfrastructure: boolean;
}

export interface OpenHelp {
  id: string;
  from: string;
  subject: string;
  timestamp: string;
}

export interface ThreadSummary {
  types: Record<string, number>;
  lastStatus: string;
  lastStatusBy: string;
  openHelp: OpenHelp[];
  lastCommit: string;
  firstAt: string;
  lastAt: string;
}

export interface Thread {
  threadId: string;
  subject: string;
  count: number;
  unreadCount: number;
  participants: string[];
  messages?: Message[];
  summary?: ThreadSummary;
}

export interface Standing {
  address: string;
  cc: boolean;
  state: "waiting" | "offered" | "delivered" | "read" | "acked" | "archived" | "deleted" | "available" | "processing" | "completed" | "dead" | "posted" | "recalled";
  why: string;
  heldBy?: string;
  bead?: string;
  forPreviousHolder?: boolean;
  deliveredAt?: string;
  readAt?: string;
  ackedAt?: string;
  archivedAt?: string;
}

export interface Step {
  at: string;
  what: string;
  who: string;
  detail: string;
}

export interface Explanation {
  id: string;
  /** grows with time; what a cursor names */
  seq: number;
  from: string;
  /** how the sender is known */
  fromGrade: "token" | "pane" | "env" | "flag" | "script";
  /** the first recipient */
  to: string;
  cc: string[];
  subject: string;
  /** left out where the caller may not read it */
  body?: string;
  timestamp: string;
  /** of the caller's copy; of work: somebody has had it */
  read: boolean;
  /** 0 is urgent */
  priority: number;
  type: "notification" | "task" | "scavenge" | "reply" | "escalation";
  /** what programs act on */
  protocolType?: string;
  threadId: string;
  replyTo: string | null;
  ackRequired: boolean;
  pinned: boolean;
  /** dropped some time after it was read */
  wisp: boolean;
  queue?: string;
  queueState?: "available" | "processing" | "completed" | "dead" | "deleted";
  attempts?: number;
  claimedBy?: string;
  claimedAt?: string;
  leaseUntil?: string;
  /** why the last attempt failed */
  reason?: string;
  channel?: string;
  labels: string[];
  /** how many agents it went through */
  hops?: number;
  replyBy?: string;
  /** the rule that holds it */
  heldBy?: string;
  bead?: string;
  forPreviousHolder?: boolean;
  /** where the caller has no copy: whose it is, an address or a queue */
  copyOf?: string;
  deliveredAt?: string;
  readAt?: string;
  ackedAt?: string;
  archivedAt?: string;
  recipients: Standing[];
  history: Step[];
  /** of the traffic between programs */
  isInfrastructure: boolean;
}

export interface NextCall {
  operation: string;
  arguments: Record<string, unknown>;
}

export interface Problem {
  code: "usage" | "no_town" | "not_found" | "refused" | "forbidden" | "key_conflict" | "unavailable" | "limited" | "timeout" | "partial";
  message: string;
  hint: string;
  /** which argument is at fault */
  argument?: string;
  /** what to call next */
  next?: NextCall;
  /** seconds */
  retryAfter?: number;
}

export interface Outcome {
  id: string;
  /** what it is now */
  state?: string;
  error?: Problem;
}

export interface AgentSession {
  state: "unknown" | "starting" | "running" | "idle" | "waiting" | "blocked" | "stalled" | "draining" | "exited" | "dead" | "deaf";
  /** what waits is for this one */
  receives: boolean;
  detail?: string;
  /** where it is reached */
  session?: string;
  harness?: string;
  incarnation?: string;
  pid?: number;
  host?: string;
  startedAt?: string;
  since: string;
  lastActivity: string;
}

export interface AgentStatus {
  /** its address */
  id: string;
  address: string;
  /** do-not-disturb is on */
  dnd: boolean;
  dndUntil?: string;
  /** an instant, or "released" */
  heldUntil?: string;
  quarantinedAt?: string;
  /** the bead it works on */
  hook?: string;
  role: string;
  /** a person must do something */
  needsYou: boolean;
  state: "unknown" | "starting" | "running" | "idle" | "waiting" | "blocked" | "stalled" | "draining" | "exited" | "dead" | "deaf";
  detail?: string;
  session: string;
  harness?: string;
  incarnation?: string;
  pid?: number;
  host?: string;
  /** if that is another one than this */
  onHost?: string;
  /** rule L3 holds what it sends */
  sendingHeldSince?: string;
  draftSince?: string;
  since?: string;
  lastActivity?: string;
  idleSince?: string;
  /** if it has several */
  sessions?: AgentSession[];
  /** nudges */
  pending: number;
  /** mail */
  unread: number;
  /** nudges and mail that a rule holds back */
  held: number;
  /** of its own mail: what a rule holds back */
  heldSent?: number;
}

export interface SentNudge {
  id: string;
  nudgeId: string;
  target: string;
  message: string;
  kind: "text" | "mail" | "health_check" | "timer" | "dog_done";
  mode: "wait-idle" | "immediate" | "soon" | "queue";
  priority: "normal" | "urgent";
  source: "witness" | "refinery" | "deacon" | "user" | "system" | "agent";
  sender: string;
  senderGrade: "token" | "pane" | "env" | "flag" | "script";
  createdAt: string;
  expiresAt?: string;
  deliverAfter?: string;
  coalesceKey?: string;
  threadId?: string;
  refs: string[];
  bead?: string;
  ephemeral?: boolean;
  state: "queued" | "leased" | "handed" | "delivered" | "expired" | "superseded" | "dropped" | "dead" | "lost";
  attempts: number;
  heldBy?: string;
  handedAt?: string;
  deliveredAt?: string;
  expiredAt?: string;
  endedAt?: string;
  /** what shows that it arrived */
  evidence?: string;
  lastError?: string;
  address: string;
  duplicate?: boolean;
  /** what stands in its way */
  note: string;
}

export interface Reported {
  address: string;
  state: "unknown" | "starting" | "running" | "idle" | "waiting" | "blocked" | "stalled" | "draining" | "exited" | "dead" | "deaf";
  since: string;
}

export interface Nudge {
  id: string;
  nudgeId: string;
  target: string;
  message: string;
  kind: "text" | "mail" | "health_check" | "timer" | "dog_done";
  mode: "wait-idle" | "immediate" | "soon" | "queue";
  priority: "normal" | "urgent";
  source: "witness" | "refinery" | "deacon" | "user" | "system" | "agent";
  sender: string;
  senderGrade: "token" | "pane" | "env" | "flag" | "script";
  createdAt: string;
  expiresAt?: string;
  deliverAfter?: string;
  coalesceKey?: string;
  threadId?: string;
  refs: string[];
  bead?: string;
  ephemeral?: boolean;
  state: "queued" | "leased" | "handed" | "delivered" | "expired" | "superseded" | "dropped" | "dead" | "lost";
  attempts: number;
  heldBy?: string;
  handedAt?: string;
  deliveredAt?: string;
  expiredAt?: string;
  endedAt?: string;
  /** what shows that it arrived */
  evidence?: string;
  lastError?: string;
}

export interface PendingNudges {
  nudges: Nudge[];
  /** the agent's next prompt; empty if nothing was taken */
  text: string;
}

export interface Group {
  id: string;
  name: string;
  /** as they were written */
  members: string[];
  createdAt: string;
  /** who that is now */
  expandsTo?: string[];
}

export interface Removed {
  removed: string;
}

export interface Claim {
  id: string;
  subject: string;
  claimedBy: string;
  claimedAt?: string;
  leaseUntil?: string;
  attempts: number;
}

export interface Queue {
  id: string;
  name: string;
  rig: string | null;
  claimers: string;
  processingOrder: "fifo" | "priority";
  /** 0 is any number */
  maxConcurrency: number;
  lease: string;
  maxAttempts: number;
  status: "active" | "paused" | "closed";
  available: number;
  /** of those: handed to nobody, for their senders are in quarantine */
  withheld?: number;
  processing: number;
  completed: number;
  failed: number;
  createdAt: string;
  claims?: Claim[];
}

export interface QueuedMessage {
  id: string;
  /** grows with time; what a cursor names */
  seq: number;
  from: string;
  /** how the sender is known */
  fromGrade: "token" | "pane" | "env" | "flag" | "script";
  /** the first recipient */
  to: string;
  cc: string[];
  subject: string;
  /** left out where the caller may not read it */
  body?: string;
  timestamp: string;
  /** of the caller's copy; of work: somebody has had it */
  read: boolean;
  /** 0 is urgent */
  priority: number;
  type: "notification" | "task" | "scavenge" | "reply" | "escalation";
  /** what programs act on */
  protocolType?: string;
  threadId: string;
  replyTo: string | null;
  ackRequired: boolean;
  pinned: boolean;
  /** dropped some time after it was read */
  wisp: boolean;
  queue: string;
  queueState: "available" | "processing" | "completed" | "dead" | "deleted";
  attempts: number;
  claimedBy?: string;
  claimedAt?: string;
  leaseUntil?: string;
  /** why the last attempt failed */
  reason?: string;
  channel?: string;
  labels: string[];
  /** how many agents it went through */
  hops?: number;
  replyBy?: string;
  /** the rule that holds it */
  heldBy?: string;
  bead?: string;
  forPreviousHolder?: boolean;
  /** where the caller has no copy: whose it is, an address or a queue */
  copyOf?: string;
  deliveredAt?: string;
  readAt?: string;
  ackedAt?: string;
  archivedAt?: string;
  recipients: Addressee[];
  /** of the traffic between programs */
  isInfrastructure: boolean;
}

export interface Channel {
  id: string;
  name: string;
  status: "active" | "closed";
  /** 0 keeps all */
  retentionCount: number;
  /** 0 is any age */
  retentionHours: number;
  posts: number;
  pruned: number;
  subscribers: number;
  createdAt: string;
}

export interface Post {
  id: string;
  /** grows with time; what a cursor names */
  seq: number;
  from: string;
  /** how the sender is known */
  fromGrade: "token" | "pane" | "env" | "flag" | "script";
  /** the first recipient */
  to: string;
  cc: string[];
  subject: string;
  /** left out where the caller may not read it */
  body?: string;
  timestamp: string;
  /** of the caller's copy; of work: somebody has had it */
  read: boolean;
  /** 0 is urgent */
  priority: number;
  type: "notification" | "task" | "scavenge" | "reply" | "escalation";
  /** what programs act on */
  protocolType?: string;
  threadId: string;
  replyTo: string | null;
  ackRequired: boolean;
  pinned: boolean;
  /** dropped some time after it was read */
  wisp: boolean;
  queue?: string;
  queueState?: "available" | "processing" | "completed" | "dead" | "deleted";
  attempts?: number;
  claimedBy?: string;
  claimedAt?: string;
  leaseUntil?: string;
  /** why the last attempt failed */
  reason?: string;
  channel: string;
  labels: string[];
  /** how many agents it went through */
  hops?: number;
  replyBy?: string;
  /** the rule that holds it */
  heldBy?: string;
  bead?: string;
  forPreviousHolder?: boolean;
  /** where the caller has no copy: whose it is, an address or a queue */
  copyOf?: string;
  deliveredAt?: string;
  readAt?: string;
  ackedAt?: string;
  archivedAt?: string;
  recipients: Addressee[];
  /** of the traffic between programs */
  isInfrastructure: boolean;
}

export interface RemovedChannel {
  removed: string;
  /** that went with it */
  posts: number;
}

export interface NudgeEvent {
  at: string;
  kind: string;
  detail: string;
}

export interface NudgeHistory {
  nudge: Nudge;
  events: NudgeEvent[];
  inTheWay: string[];
}

export interface Refusals {
  count: number;
  last?: string;
}

export interface Agent {
  address: string;
  role: "human" | "mayor" | "deacon" | "witness" | "refinery" | "polecat" | "crew" | "dog" | "session" | "system";
  rig?: string;
  name?: string;
  /** where it runs */
  session?: string;
  harness?: string;
  description?: string;
  /** how it is started */
  start?: string;
  resume?: string;
  /** what it is started for */
  on?: "mail" | "nudge";
  createdAt?: string;
  heldSince?: string;
  /** false: a live session that nobody has written to yet */
  registered?: boolean;
}

export interface Status {
  town: string;
  /** it rings the terminal's bell of those who watch */
  bell: boolean;
  /** the caller's unread mail */
  unread: number;
  held: boolean;
  watchedAt?: string;
  /** `up` runs here */
  watching: boolean;
  hookErrors: number;
  /** where `up` answers HTTP */
  url?: string;
  /** why `up` looks every second */
  cannotWatch?: string;
  refused?: Refusals;
  undone?: string[];
  warnings?: string[];
  /** live ones that nobody is registered for */
  sessions?: Agent[];
  agents: AgentStatus[];
}

export interface DirectoryEntry {
  type: string;
  address: string;
  description: string;
}

export interface FeedEntry {
  /** its number in the log */
  seq: number;
  at: string;
  type: "mail" | "nudge" | "state" | "rule" | "queue" | "channel" | "town";
  /** what happened */
  kind: string;
  /** who it is about */
  agent?: string;
  /** who wrote it */
  from?: string;
  /** the recipients */
  to?: string[];
  messageId?: string;
  nudgeId?: string;
  queue?: string;
  channel?: string;
  /** the subject, or what a nudge says */
  text?: string;
  state?: "unknown" | "starting" | "running" | "idle" | "waiting" | "blocked" | "stalled" | "draining" | "exited" | "dead" | "deaf";
  /** evidence, a reason, or what a blocked agent asks */
  detail?: string;
  priority?: string;
  /** it rings the terminal's bell of those who watch */
  alarm?: boolean;
  ackRequired?: boolean;
  replyBy?: string;
}

export interface Failure {
  code: "VALIDATION_ERROR" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "TIMEOUT" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL_ERROR" | "UNAVAILABLE";
  message: string;
  details?: {
    /** What is at fault, as it is called here */
    argument?: string;
    /** What to do next */
    hint?: string;
    /** Seconds */
    retryAfter?: number;
  };
}

export type EventKind = "mail_received" | "mail_read" | "mail_acked" | "mail_changed" | "nudge_state" | "agent_status" | "queue_changed" | "channel_post" | "channel_changed" | "rule" | "town";

/** Every call of the API. Names are those of the document's operations. */
export abstract class Calls {
  protected abstract call<T>(method: string, path: string, query?: Record<string, unknown>, body?: unknown): Promise<T>;

  /** List mail sent and received together, newest first, and what became of it; changes nothing */
  getMail(query: {
    /** Whose (default: yours) */
    agent?: string;
    /** Everybody's */
    all?: boolean;
    /** Unread only */
    unreadOnly?: boolean;
    /** user: without what programs tell each other; infrastructure: only that */
    filter?: "user" | "infrastructure";
    /** Only this conversation */
    threadId?: string;
    /** Only what has these words in subject, body or sender */
    q?: string;
    /** At most N items */
    limit?: number;
    /** Continue after the item with this seq */
    cursor?: number;
  } = {}): Promise<{
    items: SentMessage[];
    total: number;
    hasMore: boolean;
    nextCursor: number | null;
  }> {
    return this.call('GET', `/api/mail`, query);
  }

  /** Send a message; it is on disk for all recipients before this returns, or for none */
  postMail(body: {
    /** Recipients: addresses, @patterns, wildcards, groups, a queue, a channel */
    to?: string | string[];
    /** One line (default: the text's first line) */
    subject: string;
    /** The text; '' for an empty one */
    body: string;
    /** Also to */
    cc?: string | string[];
    /** 0..4, or urgent, high, normal, low, lowest */
    priority?: 0 | 1 | 2 | 3 | 4 | "0" | "1" | "2" | "3" | "4" | "urgent" | "high" | "normal" | "low" | "lowest";
    /** Priority urgent */
    urgent?: boolean;
    /** Ask for an acknowledgement */
    ackRequired?: boolean;
    /** notification (default), task, scavenge, reply or escalation */
    type?: "notification" | "task" | "scavenge" | "reply" | "escalation";
    /** The message this answers */
    replyTo?: string;
    /** Keep the answered message unread */
    keepUnread?: boolean;
    /** The thread it belongs to */
    threadId?: string;
    /** For the holder of this bead only */
    bead?: string;
    /** Never archive it by age */
    pinned?: boolean;
    /** Drop it once it is read and old */
    wisp?: boolean;
    /** Keep it (the default) */
    permanent?: boolean;
    /** Wake nobody */
    noNotify?: boolean;
    /** Also send it to yourself */
    self?: boolean;
    /** The same key within 24 h sends once */
    key?: string;
    /** Register unknown recipients */
    create?: boolean;
    /** When an answer is due: a duration, or a local time or date */
    replyBy?: string;
    /** Build a typed message */
    protocol?: string;
    /** With `protocol`: a field */
    field?: Record<string, string>;
    /** Changes nothing: it always happens */
    includeReplyInstructions?: unknown;
  }): Promise<Receipt> {
    return this.call('POST', `/api/mail`, {}, body);
  }

  /** Show your identity and where it comes from */
  getMailIdentity(): Promise<Identity> {
    return this.call('GET', `/api/mail/identity`);
  }

  /** Check for unread mail (exit 0: some, 1: none); `inject` prints it for an agent's prompt */
  getMailUnread(): Promise<{
    count: number;
  }> {
    return this.call('GET', `/api/mail/unread`);
  }

  /** Show a conversation, oldest first */
  getMailThreadById(id: string, query: {
    /** A computed summary instead of the messages */
    summary?: boolean;
  } = {}): Promise<Thread> {
    return this.call('GET', `/api/mail/thread/${encodeURIComponent(id)}`, query);
  }

  /** Show a message as `mail.read` does, and change nothing: the sender learns nothing */
  getMailById(id: string): Promise<Message> {
    return this.call('GET', `/api/mail/${encodeURIComponent(id)}`);
  }

  /** Delete messages from your mailbox */
  deleteMailById(id: string): Promise<Outcome> {
    return this.call('DELETE', `/api/mail/${encodeURIComponent(id)}`);
  }

  /** Show a message's whole history: sent, offered, delivered (with evidence), read, acknowledged */
  getMailByIdExplain(id: string): Promise<Explanation> {
    return this.call('GET', `/api/mail/${encodeURIComponent(id)}/explain`);
  }

  /** Mark messages read, and acknowledge nothing */
  postMailByIdRead(id: string): Promise<Outcome> {
    return this.call('POST', `/api/mail/${encodeURIComponent(id)}/read`);
  }

  /** Mark messages unread again */
  postMailByIdUnread(id: string): Promise<Outcome> {
    return this.call('POST', `/api/mail/${encodeURIComponent(id)}/unread`);
  }

  /** Mark messages read and, if asked for, acknowledge them */
  postMailByIdAck(id: string, body: {
    /** Everything unread */
    all?: boolean;
  } = {}): Promise<Outcome> {
    return this.call('POST', `/api/mail/${encodeURIComponent(id)}/ack`, {}, body);
  }

  /** Archive messages; they stay searchable */
  postMailByIdArchive(id: string, body: {
    /** Archive all that is read, unpinned and older than `older` */
    stale?: boolean;
    /** With `stale`: the age */
    older?: string;
  } = {}): Promise<Outcome> {
    return this.call('POST', `/api/mail/${encodeURIComponent(id)}/archive`, {}, body);
  }

  /** Show the agents of the town: those that need you come first, with what they ask */
  getAgents(query: {
    /** Only these: agents, @patterns, wildcards, groups */
    agent?: string[];
    /** Keep running and update when something changes */
    watch?: boolean;
    /** One short line, for the status line of tmux */
    line?: boolean;
  } = {}): Promise<AgentStatus[]> {
    return this.call('GET', `/api/agents`, query);
  }

  /** Show the agents of the town: those that need you come first, with what they ask */
  getAgentsByAgent(agent: string, query: {
    /** Keep running and update when something changes */
    watch?: boolean;
    /** One short line, for the status line of tmux */
    line?: boolean;
  } = {}): Promise<AgentStatus> {
    return this.call('GET', `/api/agents/${encodeURIComponent(agent)}`, query);
  }

  /** List a mailbox: everything not archived; changes nothing */
  getAgentsByAddressMail(address: string, query: {
    /** Read and unread (the default) */
    all?: boolean;
    /** Unread only */
    unread?: boolean;
    /** List the archive instead */
    archived?: boolean;
    /** Sent by */
    from?: string;
    /** Only this type: of mail (task, reply, …) or of the protocol (DONE, HELP, …) */
    type?: string;
    /** Only about this bead */
    bead?: string;
    /** Only mail that still needs your acknowledgement */
    pending?: boolean;
    /** Only what ends work: OFFERING_READY, DONE, FAILED, CHECKPOINT */
    completions?: boolean;
    /** At most N items */
    limit?: number;
    /** Continue after the item with this seq */
    cursor?: number;
  } = {}): Promise<{
    items: Message[];
    total: number;
    hasMore: boolean;
    nextCursor: number | null;
  }> {
    return this.call('GET', `/api/agents/${encodeURIComponent(address)}/mail`, query);
  }

  /** Wake agents with a few words, now or at their next idle moment */
  postAgentsByTargetMessage(target: string, body: {
    /** The text */
    prompt: string;
  }): Promise<SentNudge> {
    return this.call('POST', `/api/agents/${encodeURIComponent(target)}/message`, {}, body);
  }

  /** Wake agents with a few words, now or at their next idle moment */
  postAgentsByTargetNudge(target: string, body: {
    /** The text */
    message: string;
    /** wait-idle (default), immediate, soon or queue */
    mode?: "wait-idle" | "immediate" | "soon" | "queue";
    /** normal or urgent */
    priority?: "normal" | "urgent";
    /** Expire after this time (default: 24h; queue 30m, immediate 10m) */
    ttlSeconds?: number | string;
  }): Promise<SentNudge> {
    return this.call('POST', `/api/agents/${encodeURIComponent(target)}/nudge`, {}, body);
  }

  /** Report how an agent is that a program of yours runs: what waits for it goes by that */
  postAgentsByAgentEvents(agent: string, body: {
    /** started, busy, idle, exited or heartbeat */
    event: "started" | "busy" | "idle" | "exited" | "heartbeat";
    /** What it does, for people */
    detail?: string;
  }): Promise<Reported> {
    return this.call('POST', `/api/agents/${encodeURIComponent(agent)}/events`, {}, body);
  }

  /** Show what waits for an agent; its own look takes what is due for 60 s, to be confirmed one by one */
  getAgentsByAgentPendingNudges(agent: string): Promise<PendingNudges> {
    return this.call('GET', `/api/agents/${encodeURIComponent(agent)}/pending-nudges`);
  }

  /** Confirm that a nudge you took has reached you */
  postAgentsByAgentNudgesByIdDelivered(agent: string, id: string): Promise<Nudge> {
    return this.call('POST', `/api/agents/${encodeURIComponent(agent)}/nudges/${encodeURIComponent(id)}/delivered`);
  }

  /** List the groups and their members */
  getGroups(): Promise<Group[]> {
    return this.call('GET', `/api/groups`);
  }

  /** Create a group: one name for many; members are looked up at every send */
  postGroups(body: {
    /** 1 to 64 of a-z 0-9 _ - */
    name: string;
    /** Addresses, wildcards, @patterns, other groups */
    members?: string | string[];
  }): Promise<Group> {
    return this.call('POST', `/api/groups`, {}, body);
  }

  /** Show a group, its members, and the agents they match now */
  getGroupsByName(name: string): Promise<Group> {
    return this.call('GET', `/api/groups/${encodeURIComponent(name)}`);
  }

  /** Replace the members of a group */
  patchGroupsByName(name: string, body: {
    /** Its members from now on */
    members: string | string[];
  }): Promise<Group> {
    return this.call('PATCH', `/api/groups/${encodeURIComponent(name)}`, {}, body);
  }

  /** Delete a group; mail already sent to it stays */
  deleteGroupsByName(name: string): Promise<Removed> {
    return this.call('DELETE', `/api/groups/${encodeURIComponent(name)}`);
  }

  /** Add members to a group */
  postGroupsByNameMembers(name: string, body: {
    /** Members to add */
    members: string | string[];
  }): Promise<Group> {
    return this.call('POST', `/api/groups/${encodeURIComponent(name)}/members`, {}, body);
  }

  /** Remove members from a group (non-members are ignored) */
  deleteGroupsByNameMembersByMember(name: string, member: string): Promise<Group> {
    return this.call('DELETE', `/api/groups/${encodeURIComponent(name)}/members/${encodeURIComponent(member)}`);
  }

  /** List the queues with their exact counts */
  getQueues(): Promise<Queue[]> {
    return this.call('GET', `/api/queues`);
  }

  /** Create a queue: each message goes to exactly one worker at a time */
  postQueues(body: {
    /** 1 to 64 of a-z 0-9 _ -; unique in the town */
    name: string;
    /** Who may claim: * (anyone), an address, a wildcard, an @pattern or a group */
    claimers?: string;
    /** fifo, or priority (urgent first) */
    order?: "fifo" | "priority";
    /** Most leases at the same time; 0: no limit */
    maxConcurrency?: number;
    /** How long a claim lasts without extend */
    lease?: string;
    /** Claims before a message is dead */
    maxAttempts?: number;
    /** Make it a rig's queue */
    rig?: string;
  }): Promise<Queue> {
    return this.call('POST', `/api/queues`, {}, body);
  }

  /** Show a queue: its settings, its counts, and who has claimed what */
  getQueuesByName(name: string): Promise<Queue> {
    return this.call('GET', `/api/queues/${encodeURIComponent(name)}`);
  }

  /** Delete a queue; refused while messages are unfinished */
  deleteQueuesByName(name: string, query: {
    /** Delete it with unfinished messages; nobody gets them */
    force?: boolean;
  } = {}): Promise<Removed> {
    return this.call('DELETE', `/api/queues/${encodeURIComponent(name)}`, query);
  }

  /** Claim the next message of a queue (exit 1 if there is none) */
  postQueuesByQueueClaim(queue: string): Promise<QueuedMessage | null> {
    return this.call('POST', `/api/queues/${encodeURIComponent(queue)}/claim`);
  }

  /** Mark claimed work as done, even after the lease ran out, unless someone else has claimed it */
  postQueuesByQueueComplete(queue: string, body: {
    /** Messages you claimed */
    id: string | string[];
  }): Promise<Outcome> {
    return this.call('POST', `/api/queues/${encodeURIComponent(queue)}/complete`, {}, body);
  }

  /** Report a failed attempt: back in the queue, or dead after its last attempt */
  postQueuesByQueueFail(queue: string, body: {
    /** Messages you claimed */
    id: string | string[];
    /** Why; kept with the message */
    reason?: string;
  }): Promise<Outcome> {
    return this.call('POST', `/api/queues/${encodeURIComponent(queue)}/fail`, {}, body);
  }

  /** Pause a queue: it accepts messages but hands none out */
  postQueuesByNamePause(name: string): Promise<Queue> {
    return this.call('POST', `/api/queues/${encodeURIComponent(name)}/pause`);
  }

  /** Reopen a paused or closed queue */
  postQueuesByNameResume(name: string): Promise<Queue> {
    return this.call('POST', `/api/queues/${encodeURIComponent(name)}/resume`);
  }

  /** Close a queue: it refuses new messages; those in it can still be claimed */
  postQueuesByNameClose(name: string): Promise<Queue> {
    return this.call('POST', `/api/queues/${encodeURIComponent(name)}/close`);
  }

  /** List messages that failed too often */
  getQueuesByNameDead(name: string): Promise<QueuedMessage[]> {
    return this.call('GET', `/api/queues/${encodeURIComponent(name)}/dead`);
  }

  /** List the channels */
  getChannels(): Promise<Channel[]> {
    return this.call('GET', `/api/channels`);
  }

  /** Create a channel: a stream everyone can read, each from their own place */
  postChannels(body: {
    /** 1 to 64 of a-z 0-9 _ - */
    name: string;
    /** Keep only the newest N posts; 0 keeps all */
    retentionCount?: number;
    /** Keep posts for H hours; 0 keeps them at any age */
    retentionHours?: number;
  }): Promise<Channel> {
    return this.call('POST', `/api/channels`, {}, body);
  }

  /** Show a channel: its limits, its posts, and how many were pruned */
  getChannelsByName(name: string): Promise<Channel> {
    return this.call('GET', `/api/channels/${encodeURIComponent(name)}`);
  }

  /** Change how many posts a channel keeps; the next post enforces it */
  patchChannelsByName(name: string, body: {
    /** Keep only the newest N posts; 0 keeps all */
    retentionCount?: number;
    /** Keep posts for H hours; 0 keeps them at any age */
    retentionHours?: number;
  } = {}): Promise<Channel> {
    return this.call('PATCH', `/api/channels/${encodeURIComponent(name)}`, {}, body);
  }

  /** Delete a channel; refused while it has posts */
  deleteChannelsByName(name: string, query: {
    /** Delete it with its posts; nobody can read them then */
    force?: boolean;
  } = {}): Promise<RemovedChannel> {
    return this.call('DELETE', `/api/channels/${encodeURIComponent(name)}`, query);
  }

  /** Read a channel's newest posts, or only those new to you; oldest first */
  getChannelsByNamePosts(name: string, query: {
    /** Only posts you have not read */
    unread?: boolean;
    /** At most N items */
    limit?: number;
    /** Only posts before the one with this seq */
    cursor?: number;
  } = {}): Promise<{
    items: Post[];
    total: number;
    hasMore: boolean;
    nextCursor: number | null;
  }> {
    return this.call('GET', `/api/channels/${encodeURIComponent(name)}/posts`, query);
  }

  /** Close a channel: it can still be read, but refuses new posts */
  postChannelsByNameClose(name: string): Promise<Channel> {
    return this.call('POST', `/api/channels/${encodeURIComponent(name)}/close`);
  }

  /** Reopen a closed channel */
  postChannelsByNameReopen(name: string): Promise<Channel> {
    return this.call('POST', `/api/channels/${encodeURIComponent(name)}/reopen`);
  }

  /** List nudges, newest first, with the text of those you sent or received */
  getNudges(query: {
    /** Only those for this agent */
    agent?: string;
    /** queued, leased, handed, delivered, expired, superseded, dropped, dead or lost */
    state?: "queued" | "leased" | "handed" | "delivered" | "expired" | "superseded" | "dropped" | "dead" | "lost";
    /** At most N items */
    limit?: number;
  } = {}): Promise<Nudge[]> {
    return this.call('GET', `/api/nudges`, query);
  }

  /** Show one nudge with its whole text */
  getNudgesById(id: string): Promise<Nudge> {
    return this.call('GET', `/api/nudges/${encodeURIComponent(id)}`);
  }

  /** Show a nudge's history, and what it waits for */
  getNudgesByIdExplain(id: string): Promise<NudgeHistory> {
    return this.call('GET', `/api/nudges/${encodeURIComponent(id)}/explain`);
  }

  /** Show the agents of the town: those that need you come first, with what they ask */
  getStatus(query: {
    /** Only these: agents, @patterns, wildcards, groups */
    agent?: string[];
    /** Keep running and update when something changes */
    watch?: boolean;
    /** One short line, for the status line of tmux */
    line?: boolean;
  } = {}): Promise<Status> {
    return this.call('GET', `/api/status`, query);
  }

  /** List every address you can send mail to */
  getDirectory(): Promise<DirectoryEntry[]> {
    return this.call('GET', `/api/directory`);
  }

  /** Show what happens in the town: mail, nudges, states, rules; `follow` keeps printing */
  getFeed(query: {
    /** Keep printing what happens */
    follow?: boolean;
    /** Only what happened within this time, or since a local time or date */
    since?: string;
    /** Only what this agent does, and what is done to it */
    agent?: string;
    /** Only these: mail, nudge, state, rule, queue, channel, town */
    type?: string[];
    /** Include every step of a delivery */
    all?: boolean;
    /** At most N items */
    limit?: number;
  } = {}): Promise<FeedEntry[]> {
    return this.call('GET', `/api/feed`, query);
  }

  /** Say that the server runs; for anybody */
  getHealthz(): Promise<{
    status: "ok";
  }> {
    return this.call('GET', `/healthz`);
  }

  /** Say that the store can be read */
  getReadyz(): Promise<{
    status: "ready";
  }> {
    return this.call('GET', `/readyz`);
  }
}
