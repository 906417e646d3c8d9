-- What an agent sent counts for its limits though it was pruned since, whatever the agent is called now.
ALTER TABLE pruned_post ADD COLUMN sender BIGINT NOT NULL DEFAULT 0;
UPDATE pruned_post
   SET sender = COALESCE((SELECT a.id FROM agent a WHERE a.address = sent_from AND a.removed_at IS NULL),
                         (SELECT o.agent FROM alias o WHERE o.address = sent_from),
                         (SELECT a.id FROM agent a WHERE a.address = sent_from), 0);
CREATE INDEX pruned_post_of_sender ON pruned_post (sender, message);

-- What a typed message is about, as a number. Beside the messages, because a column behind their texts is read slowly.
CREATE TABLE message_topic (
  message ID64 PRIMARY KEY,
  digest  BIGINT NOT NULL
);
CREATE INDEX message_topic_alike ON message_topic (digest, message);
