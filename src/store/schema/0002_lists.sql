-- Groups, queues and channels. A deleted queue or channel frees its name and keeps its messages until they are purged.
CREATE TABLE mail_group (
  name       TEXT PRIMARY KEY,
  creator    BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE TABLE group_member (
  list   TEXT NOT NULL,
  member TEXT NOT NULL,
  PRIMARY KEY (list, member)
);

CREATE TABLE queue (
  id              ID64 PRIMARY KEY,
  name            TEXT NOT NULL,
  rig             TEXT NOT NULL,
  claimers        TEXT NOT NULL,
  sorting         BIGINT NOT NULL,
  max_concurrency BIGINT NOT NULL,
  lease_ms        BIGINT NOT NULL,
  max_attempts    BIGINT NOT NULL,
  state           BIGINT NOT NULL,
  created_at      BIGINT NOT NULL,
  deleted_at      BIGINT
);
CREATE UNIQUE INDEX queue_of_name ON queue (name) WHERE deleted_at IS NULL;

-- A message in a queue. state: 0 available, 1 leased, 2 completed, 3 dead. An item moves between the partial indexes, so
-- that a claim, the leases that ran out and the counts are found without looking at what is done.
CREATE TABLE queue_item (
  message     ID64 PRIMARY KEY,
  queue       BIGINT NOT NULL,
  state       BIGINT NOT NULL,
  rank        BIGINT NOT NULL,
  attempts    BIGINT NOT NULL,
  holder      BIGINT,
  claimed_at  BIGINT,
  lease_until BIGINT NOT NULL,
  ended_at    BIGINT,
  reason      TEXT NOT NULL,
  CHECK ((holder IS NULL) = (claimed_at IS NULL)),
  CHECK (state <> 1 OR holder IS NOT NULL)
);
CREATE INDEX queue_item_available ON queue_item (queue, rank, message) WHERE state = 0;
CREATE INDEX queue_item_leased    ON queue_item (queue, lease_until)   WHERE state = 1;
CREATE INDEX queue_item_ended     ON queue_item (queue, state)         WHERE state >= 2;

CREATE TABLE channel (
  id           ID64 PRIMARY KEY,
  name         TEXT NOT NULL,
  retain_count BIGINT NOT NULL,
  retain_ms    BIGINT NOT NULL,
  closed       BIGINT NOT NULL,
  creator      BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  pruned       BIGINT NOT NULL,
  prune_at     BIGINT,
  deleted_at   BIGINT
);
CREATE UNIQUE INDEX channel_of_name ON channel (name) WHERE deleted_at IS NULL;
CREATE TABLE channel_post (
  channel    BIGINT NOT NULL,
  message    BIGINT NOT NULL,
  sender     BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (channel, message)
);
CREATE UNIQUE INDEX channel_post_of_message ON channel_post (message);
-- What retention removed: the text is gone, the record stays.
CREATE TABLE pruned_post (
  message    ID64 PRIMARY KEY,
  channel    BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  pruned_at  BIGINT NOT NULL,
  sent_from  TEXT NOT NULL,
  subject    TEXT NOT NULL,
  reason     TEXT NOT NULL
);
CREATE INDEX pruned_post_of_channel ON pruned_post (channel, message);

-- Fan-out on read: a row for each who subscribed (agent is null for patterns and groups), a cursor for each who read.
CREATE TABLE subscription (
  channel BIGINT NOT NULL,
  member  TEXT NOT NULL,
  agent   BIGINT,
  wake    BIGINT NOT NULL,
  since   BIGINT NOT NULL,
  PRIMARY KEY (channel, member)
);
CREATE INDEX subscription_of_agent ON subscription (agent);
CREATE INDEX subscription_waking   ON subscription (channel) WHERE wake = 1;
CREATE TABLE channel_cursor (
  channel   BIGINT NOT NULL,
  reader    BIGINT NOT NULL,
  read      BIGINT NOT NULL,
  announced BIGINT NOT NULL,
  PRIMARY KEY (channel, reader)
);
