-- What is open is found without a look at everything that ever was: replies that are owed still, and posts by age.
CREATE TABLE reply_owed (
  message  BIGINT NOT NULL,
  debtor   BIGINT NOT NULL,
  creditor BIGINT NOT NULL,
  PRIMARY KEY (message, debtor)
);
CREATE INDEX reply_owed_by ON reply_owed (debtor, message);
CREATE INDEX reply_owed_to ON reply_owed (creditor, message);
INSERT INTO reply_owed (message, debtor, creditor)
  SELECT m.id, d.mailbox, m.sender FROM message m JOIN delivery d ON d.message = m.id
   WHERE m.reply_by IS NOT NULL AND d.is_copy = 0
     AND NOT EXISTS (SELECT 1 FROM message r WHERE r.reply_to = m.id AND r.sender = d.mailbox);
DROP INDEX message_wanting;

CREATE INDEX channel_post_age ON channel_post (channel, created_at, message);
