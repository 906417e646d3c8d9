-- Who may call the town's server: of each secret its hash. A token, the page of a browser, or the code of a link.
CREATE TABLE token (
  id           TEXT PRIMARY KEY,
  kind         BIGINT NOT NULL,
  role         BIGINT NOT NULL,
  agent        BIGINT,
  rig          TEXT NOT NULL,
  note         TEXT NOT NULL,
  hash         TEXT NOT NULL,
  created_by   TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT,
  last_used_at BIGINT,
  revoked_at   BIGINT
);
CREATE INDEX token_of_agent ON token (agent) WHERE agent IS NOT NULL;
