-- A copy may name a bead: then it is for the holder of that bead only. Such copies are few; the index finds the unread
-- ones among them without a look at the others.
ALTER TABLE delivery ADD COLUMN bead TEXT NOT NULL DEFAULT '';
CREATE INDEX delivery_of_bead ON delivery (mailbox, bead)
  WHERE bead <> '' AND read_at IS NULL AND archived_at IS NULL AND deleted_at IS NULL;
