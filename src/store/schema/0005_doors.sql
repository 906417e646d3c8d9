-- What a person said about the program in an agent's terminal, and the process that its pane had when it was
-- registered: the number of a pane means nothing once its server was started anew.
ALTER TABLE agent ADD COLUMN harness TEXT NOT NULL DEFAULT '';
ALTER TABLE agent ADD COLUMN pane_process TEXT NOT NULL DEFAULT '';
