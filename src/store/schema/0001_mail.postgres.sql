-- The trigrams of a message as numbers: three code points of 21 bits each. No extension is needed for that.
CREATE TABLE message_trigram (message BIGINT PRIMARY KEY, grams BIGINT[] NOT NULL);
CREATE INDEX message_trigram_grams ON message_trigram USING gin (grams);
