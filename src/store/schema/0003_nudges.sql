-- Times named *_awake are milliseconds that the town was awake (post/values/awake.h), the others milliseconds since
-- 1970.
CREATE TABLE nudge (
  id             ID64 PRIMARY KEY,
  target         BIGINT NOT NULL,
  sender         BIGINT NOT NULL,
  state          BIGINT NOT NULL,
  urgent         BIGINT NOT NULL,
  place          BIGINT NOT NULL,
  mode           BIGINT NOT NULL,
  source         BIGINT NOT NULL,
  kind           BIGINT NOT NULL,
  grade          BIGINT NOT NULL,
  ephemeral      BIGINT NOT NULL,
  forced         BIGINT NOT NULL,
  hops           BIGINT NOT NULL,
  attempts       BIGINT NOT NULL,
  created_at     BIGINT NOT NULL,
  deliver_after  BIGINT NOT NULL,
  expires_awake  BIGINT,
  escalate_awake BIGINT,
  lease_awake    BIGINT,
  retry_awake    BIGINT,
  handed_at      BIGINT,
  delivered_at   BIGINT,
  ended_at       BIGINT,
  sent_from      TEXT NOT NULL,
  held_by        TEXT NOT NULL,
  leased_for     TEXT NOT NULL,
  leased_by      TEXT NOT NULL,
  coalesce_key   TEXT NOT NULL,
  thread         TEXT NOT NULL,
  refs           TEXT NOT NULL,
  bead           TEXT NOT NULL,
  evidence       TEXT NOT NULL,
  last_error     TEXT NOT NULL,
  body           TEXT NOT NULL
);
CREATE INDEX nudge_pending  ON nudge (target, urgent, place) WHERE ended_at IS NULL;
CREATE INDEX nudge_of       ON nudge (target, id);
CREATE INDEX nudge_by       ON nudge (sender, id);
CREATE INDEX nudge_outlived ON nudge (expires_awake)  WHERE ended_at IS NULL AND expires_awake IS NOT NULL;
CREATE INDEX nudge_overdue  ON nudge (escalate_awake) WHERE ended_at IS NULL AND escalate_awake IS NOT NULL;
CREATE INDEX nudge_ended    ON nudge (ended_at)       WHERE ended_at IS NOT NULL;

-- What happened to a nudge; goes with it.
CREATE TABLE nudge_event (
  nudge  BIGINT NOT NULL,
  nr     BIGINT NOT NULL,
  at     BIGINT NOT NULL,
  kind   TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (nudge, nr)
);

CREATE TABLE presence (
  agent         ID64 PRIMARY KEY,
  state         BIGINT NOT NULL,
  pid           BIGINT NOT NULL,
  started_at    BIGINT NOT NULL,
  since         BIGINT NOT NULL,
  last_activity BIGINT NOT NULL,
  tool_running  BIGINT NOT NULL,
  supervised    BIGINT NOT NULL,
  continuations BIGINT NOT NULL,
  active_awake  BIGINT NOT NULL,
  incarnation   TEXT NOT NULL,
  harness       TEXT NOT NULL,
  session       TEXT NOT NULL,
  host          TEXT NOT NULL,
  transcript    TEXT NOT NULL,
  detail        TEXT NOT NULL
);

CREATE TABLE care (
  agent           ID64 PRIMARY KEY,
  dnd_until       BIGINT,
  held_since      BIGINT,
  hold_until      BIGINT,
  quarantined_at  BIGINT,
  blocked_told_at BIGINT,
  warned          BIGINT NOT NULL,
  warned_awake    BIGINT,
  hook            TEXT NOT NULL
);

CREATE TABLE wake (
  id       ID64 PRIMARY KEY,
  agent    BIGINT NOT NULL,
  at       BIGINT NOT NULL,
  by_agent BIGINT NOT NULL,
  urgent   BIGINT NOT NULL
);
CREATE INDEX wake_of_agent ON wake (agent, at);
CREATE INDEX wake_at       ON wake (at);

-- One row: the town's own time, and how many nudges there have been.
CREATE TABLE watch (
  id            ID64 PRIMARY KEY,
  awake         BIGINT NOT NULL,
  watched_at    BIGINT NOT NULL,
  held_since    BIGINT,
  hold_until    BIGINT,
  wakes_told_at BIGINT,
  nudges        BIGINT NOT NULL
);
INSERT INTO watch (id, awake, watched_at, nudges) VALUES (1, 1000000000, 0, 0);
