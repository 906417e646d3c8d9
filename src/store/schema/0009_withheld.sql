-- What a quarantine keeps from others is found where it stands: what the town itself says names the agent whose words
-- it quotes.
ALTER TABLE message ADD COLUMN quotes BIGINT;
CREATE INDEX message_quoting ON message (quotes) WHERE quotes IS NOT NULL;
CREATE INDEX care_quarantined ON care (agent) WHERE quarantined_at IS NOT NULL;

-- How far a reader has come with the posts of one author, where that is not as far as its cursor: the others were
-- shown, those were withheld.
CREATE TABLE channel_author_cursor (
  channel   BIGINT NOT NULL,
  reader    BIGINT NOT NULL,
  author    BIGINT NOT NULL,
  read      BIGINT NOT NULL,
  announced BIGINT NOT NULL,
  PRIMARY KEY (channel, reader, author)
);
CREATE INDEX channel_author_cursor_of_author ON channel_author_cursor (author);
CREATE INDEX channel_post_of_sender ON channel_post (sender, channel, message);

-- A post that was taken back is there only for those who had read it then: how far each of them had come.
ALTER TABLE channel_post ADD COLUMN recalled_at BIGINT;
CREATE INDEX channel_post_recalled ON channel_post (channel, recalled_at) WHERE recalled_at IS NOT NULL;
CREATE TABLE recalled_for (
  channel     BIGINT NOT NULL,
  recalled_at BIGINT NOT NULL,
  reader      BIGINT NOT NULL,
  read        BIGINT NOT NULL,
  PRIMARY KEY (channel, recalled_at, reader)
);

-- A bare name that stood for nobody when it was written, and is a group's now.
INSERT INTO group_member (list, member)
  SELECT w.list, 'group:' || w.member FROM group_member w
   WHERE w.member IN (SELECT name FROM mail_group)
     AND w.member NOT IN (SELECT address FROM agent WHERE removed_at IS NULL)
     AND NOT EXISTS (SELECT 1 FROM group_member k WHERE k.list = w.list AND k.member = 'group:' || w.member);
DELETE FROM group_member
 WHERE member IN (SELECT name FROM mail_group) AND member NOT IN (SELECT address FROM agent WHERE removed_at IS NULL);
UPDATE queue SET claimers = 'group:' || claimers
 WHERE claimers IN (SELECT name FROM mail_group)
   AND claimers NOT IN (SELECT address FROM agent WHERE removed_at IS NULL);
