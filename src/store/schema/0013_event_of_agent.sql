-- Nobody asks by agent what became of the messages of a queue: the workers' entries stay out of this index, into which
-- each would go at another place.
DROP INDEX event_of_agent;
CREATE INDEX event_of_agent ON event (agent, kind, seq) WHERE agent IS NOT NULL AND queue IS NULL;
