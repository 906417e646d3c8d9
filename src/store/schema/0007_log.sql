-- One log for everything that a client may follow, and an outbox that several programs can take from. The histories of
-- nudges go into the log: each in its own order, and among each other by time.
ALTER TABLE event ADD COLUMN nudge BIGINT;
ALTER TABLE event ADD COLUMN queue BIGINT;
ALTER TABLE event ADD COLUMN channel BIGINT;
ALTER TABLE event ADD COLUMN audience BIGINT NOT NULL DEFAULT 0;
UPDATE event SET audience = 2 WHERE kind = 'left undone';
UPDATE event SET kind = 'sender freed' WHERE kind = 'released' AND message IS NULL;
INSERT INTO event (seq, at, kind, agent, detail, nudge, audience)
  SELECT (SELECT COALESCE(MAX(seq), 0) FROM event) + ROW_NUMBER() OVER (ORDER BY o.seen_at, o.nudge, o.nr),
         o.at, o.kind, (SELECT n.target FROM nudge n WHERE n.id = o.nudge), o.detail, o.nudge, 0
    FROM (SELECT nudge, nr, at, kind, detail, MAX(at) OVER (PARTITION BY nudge ORDER BY nr) AS seen_at
            FROM nudge_event) o;
DROP TABLE nudge_event;
CREATE INDEX event_of_nudge ON event (nudge) WHERE nudge IS NOT NULL;

-- One row. Numbers are counted here, so none is given twice, whatever is erased. From complete_from on every event is
-- there; up to swept it was seen to that what belongs to nothing any more is gone.
CREATE TABLE log_state (
  id            ID64 PRIMARY KEY,
  last_event    BIGINT NOT NULL,
  complete_from BIGINT NOT NULL,
  swept         BIGINT NOT NULL,
  last_duty     BIGINT NOT NULL
);
INSERT INTO log_state (id, last_event, complete_from, swept, last_duty)
  SELECT 1, (SELECT COALESCE(MAX(seq), 0) FROM event), (SELECT COALESCE(MAX(seq), 0) + 1 FROM event), 0,
         (SELECT COALESCE(MAX(id), 0) FROM outbox);

-- ready_at is when a duty may be taken: when it is due, may be tried again, or was left by whoever had taken it.
ALTER TABLE outbox ADD COLUMN owner BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN ready_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN lease_until BIGINT;
UPDATE outbox SET ready_at = due_at;
DROP INDEX outbox_due;
CREATE INDEX outbox_ready ON outbox (owner, ready_at);
