-- What a quarantined agent sent stands in an index of its own, so that a claim never walks past it.
ALTER TABLE queue_item ADD COLUMN withheld BIGINT NOT NULL DEFAULT 0;
UPDATE queue_item SET withheld = 1
 WHERE message IN (SELECT m.id FROM message m JOIN care q ON q.agent = m.sender WHERE q.quarantined_at IS NOT NULL);
DROP INDEX queue_item_available;
CREATE INDEX queue_item_available ON queue_item (queue, rank, message) WHERE state = 0 AND withheld = 0;
CREATE INDEX queue_item_withheld  ON queue_item (queue, rank, message) WHERE state = 0 AND withheld = 1;

-- Unread mail that a rule holds back is found from its sender's side, too.
CREATE INDEX delivery_held ON delivery (message)
  WHERE held_by <> '' AND read_at IS NULL AND archived_at IS NULL AND deleted_at IS NULL;
