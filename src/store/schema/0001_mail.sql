-- ID64 is the one word that the stores spell differently: the type of a 64-bit key (SQLite: INTEGER, PostgreSQL:
-- BIGINT). Instants are milliseconds since 1970. Columns that are looked at often stand before the text, which may be
-- long.
CREATE TABLE rig (
  name         TEXT PRIMARY KEY,
  prefix       TEXT NOT NULL UNIQUE,
  path         TEXT NOT NULL,
  target       TEXT NOT NULL,
  test_command TEXT NOT NULL,
  created_at   BIGINT NOT NULL
);

CREATE TABLE agent (
  id             ID64 PRIMARY KEY,
  address        TEXT NOT NULL UNIQUE,
  session        TEXT NOT NULL,
  description    TEXT NOT NULL,
  start_command  TEXT NOT NULL,
  resume_command TEXT NOT NULL,
  start_on       BIGINT NOT NULL,
  created_at     BIGINT NOT NULL,
  removed_at     BIGINT,
  held_since     BIGINT,
  shown_hops     BIGINT NOT NULL,
  shown_at       BIGINT
);

CREATE TABLE alias (
  address TEXT PRIMARY KEY,
  agent   BIGINT NOT NULL
);
CREATE INDEX alias_of_agent ON alias (agent);

-- What was sent; never changed. The key grows with every message, so it is also the order of time.
CREATE TABLE message (
  id           ID64 PRIMARY KEY,
  created_at   BIGINT NOT NULL,
  sender       BIGINT NOT NULL,
  grade        BIGINT NOT NULL,
  priority     BIGINT NOT NULL,
  type         BIGINT NOT NULL,
  ack_required BIGINT NOT NULL,
  wisp         BIGINT NOT NULL,
  hops         BIGINT NOT NULL,
  reply_to     BIGINT,
  reply_by     BIGINT,
  digest       BIGINT,
  thread       TEXT NOT NULL,
  sent_from    TEXT NOT NULL,
  sent_to      TEXT NOT NULL,
  sent_cc      TEXT NOT NULL,
  subject      TEXT NOT NULL,
  body         TEXT NOT NULL
);
CREATE INDEX message_of_sender ON message (sender, id);
CREATE INDEX message_of_thread ON message (thread, id);
CREATE INDEX message_alike     ON message (digest)   WHERE digest   IS NOT NULL;
CREATE INDEX message_answers   ON message (reply_to) WHERE reply_to IS NOT NULL;
CREATE INDEX message_wanting   ON message (id)       WHERE reply_by IS NOT NULL;

-- One recipient's copy. The partial indexes make "what waits for me" and the list of a mailbox independent of how much
-- is stored.
CREATE TABLE delivery (
  message      BIGINT NOT NULL,
  mailbox      BIGINT NOT NULL,
  place        BIGINT NOT NULL,
  is_copy      BIGINT NOT NULL,
  priority     BIGINT NOT NULL,
  pinned       BIGINT NOT NULL,
  held_by      TEXT NOT NULL,
  held_until   BIGINT,
  delivered_at BIGINT,
  read_at      BIGINT,
  acked_at     BIGINT,
  archived_at  BIGINT,
  deleted_at   BIGINT,
  announced_at BIGINT,
  PRIMARY KEY (message, mailbox)
);
CREATE INDEX delivery_inbox    ON delivery (mailbox, priority, message)
  WHERE archived_at IS NULL AND deleted_at IS NULL;
CREATE INDEX delivery_unread   ON delivery (mailbox, priority, message)
  WHERE read_at IS NULL AND archived_at IS NULL AND deleted_at IS NULL;
CREATE INDEX delivery_archived ON delivery (mailbox, message)
  WHERE archived_at IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE idempotency_key (
  sender  BIGINT NOT NULL,
  key     TEXT NOT NULL,
  message BIGINT NOT NULL,
  digest  BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  answer  TEXT NOT NULL,
  PRIMARY KEY (sender, key)
);

-- The append-only log behind explain, events and tests.
CREATE TABLE event (
  seq     ID64 PRIMARY KEY,
  at      BIGINT NOT NULL,
  kind    TEXT NOT NULL,
  message BIGINT,
  agent   BIGINT,
  detail  TEXT NOT NULL
);
CREATE INDEX event_of_message ON event (message) WHERE message IS NOT NULL;
CREATE INDEX event_of_agent   ON event (agent, kind, seq) WHERE agent IS NOT NULL;

-- What must follow a commit, now or at an instant.
CREATE TABLE outbox (
  id      ID64 PRIMARY KEY,
  due_at  BIGINT NOT NULL,
  kind    TEXT NOT NULL,
  message BIGINT,
  detail  TEXT NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at);

-- How far the search index has come: the last message in it.
CREATE TABLE search_progress (upto BIGINT NOT NULL);
INSERT INTO search_progress VALUES (0);

INSERT INTO agent (id, address, session, description, start_command, resume_command, start_on, created_at, shown_hops) VALUES
  (1, 'overseer', '', 'the human', '', '', 0, 0, 0),
  (2, 'townpost', '', 'the town''s own voice; reads no mail', '', '', 0, 0, 0),
  (3, 'mayor/', '', 'coordinates the town', '', '', 0, 0, 0),
  (4, 'deacon/', '', 'watches over the town', '', '', 0, 0, 0);
