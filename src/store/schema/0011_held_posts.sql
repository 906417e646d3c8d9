-- A post that a rule of its sender holds is there for everybody, and wakes nobody.
ALTER TABLE channel_post ADD COLUMN held_by TEXT NOT NULL DEFAULT '';
