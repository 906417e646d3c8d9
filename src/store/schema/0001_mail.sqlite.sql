-- Trigrams find candidates, the caller verifies them; so the index keeps neither text nor positions.
CREATE VIRTUAL TABLE message_trigram USING fts5(text, content = '', detail = none, tokenize = 'trigram');
