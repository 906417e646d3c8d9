-- A queue's bead keeps its id when the rig goes, or comes back with another prefix.
ALTER TABLE queue ADD COLUMN prefix TEXT NOT NULL DEFAULT '';
UPDATE queue SET prefix = COALESCE((SELECT rig.prefix FROM rig WHERE rig.name = queue.rig), '');
