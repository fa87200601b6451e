-- From version 1 to 2: what recorded runs hold. Comments on the columns stand in schema.sql.
CREATE TABLE clock (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  unix_ns       INTEGER,
  resolution_ns INTEGER
) STRICT;
CREATE TABLE process (
  id     INTEGER PRIMARY KEY,
  number INTEGER,
  label  TEXT NOT NULL,
  name   INTEGER REFERENCES string (id)
) STRICT;
CREATE TABLE signature (
  id     INTEGER PRIMARY KEY,
  inputs INTEGER NOT NULL
) STRICT;
CREATE TABLE signature_input (
  signature INTEGER NOT NULL REFERENCES signature (id),
  place     INTEGER NOT NULL,
  type      INTEGER REFERENCES string (id),
  dims      TEXT,
  strides   TEXT,
  value     INTEGER REFERENCES string (id),
  PRIMARY KEY (signature, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE sync (
  id               INTEGER PRIMARY KEY,
  kind             TEXT NOT NULL CHECK (kind IN ('stream', 'context', 'event', 'stream_wait_event', 'unknown')),
  stream           INTEGER REFERENCES stream (id),
  start_ns         INTEGER,
  end_ns           INTEGER,
  correlation      INTEGER,
  wait_stream      INTEGER,
  wait_correlation INTEGER,
  wait_event       INTEGER,
  process          INTEGER REFERENCES process (id),
  external         INTEGER,
  extra            INTEGER REFERENCES string (id)
) STRICT;
CREATE TABLE collective (
  id           INTEGER PRIMARY KEY,
  launch       INTEGER REFERENCES launch (id),
  range        INTEGER REFERENCES range (id),
  name         INTEGER REFERENCES string (id),
  dtype        INTEGER REFERENCES string (id),
  elements_in  INTEGER,
  elements_out INTEGER,
  group_name   INTEGER REFERENCES string (id),
  group_size   INTEGER,
  ranks        INTEGER REFERENCES string (id),
  sequence     INTEGER
) STRICT;
CREATE TABLE allocation (
  id            INTEGER PRIMARY KEY,
  time_ns       INTEGER,
  thread        INTEGER REFERENCES thread (id),
  device        INTEGER,
  address       INTEGER,
  bytes         INTEGER,
  allocated     INTEGER,
  reserved      INTEGER,
  extra         INTEGER REFERENCES string (id)
) STRICT;
CREATE TABLE instant (
  id       INTEGER PRIMARY KEY,
  thread   INTEGER REFERENCES thread (id),
  category INTEGER REFERENCES string (id),
  name     INTEGER NOT NULL REFERENCES string (id),
  time_ns  INTEGER,
  extra    INTEGER REFERENCES string (id)
) STRICT;
CREATE TABLE counter (
  id      INTEGER PRIMARY KEY,
  process INTEGER REFERENCES process (id),
  name    INTEGER NOT NULL REFERENCES string (id),
  series  INTEGER REFERENCES string (id),
  time_ns INTEGER,
  value   REAL
) STRICT;
CREATE TABLE flow (
  id       INTEGER PRIMARY KEY,
  category INTEGER REFERENCES string (id),
  number   INTEGER,
  place    TEXT NOT NULL CHECK (place IN ('start', 'step', 'end')),
  thread   INTEGER REFERENCES thread (id),
  time_ns  INTEGER
) STRICT;

ALTER TABLE stream ADD COLUMN context INTEGER;

INSERT INTO process (number, label) SELECT DISTINCT process, CAST(process AS TEXT) FROM thread WHERE process IS NOT NULL;
UPDATE thread SET process = (SELECT id FROM process WHERE number = thread.process);
ALTER TABLE thread ADD COLUMN label TEXT;

ALTER TABLE launch ADD COLUMN process INTEGER REFERENCES process (id);
ALTER TABLE launch ADD COLUMN external INTEGER;
ALTER TABLE launch ADD COLUMN extra INTEGER REFERENCES string (id);

ALTER TABLE copy ADD COLUMN process INTEGER REFERENCES process (id);
ALTER TABLE copy ADD COLUMN external INTEGER;
ALTER TABLE copy ADD COLUMN source INTEGER REFERENCES string (id);
ALTER TABLE copy ADD COLUMN destination INTEGER REFERENCES string (id);
ALTER TABLE copy ADD COLUMN extra INTEGER REFERENCES string (id);

ALTER TABLE api_call ADD COLUMN kind TEXT NOT NULL DEFAULT 'runtime' CHECK (kind IN ('runtime', 'driver'));
ALTER TABLE api_call ADD COLUMN external INTEGER;
ALTER TABLE api_call ADD COLUMN extra INTEGER REFERENCES string (id);

ALTER TABLE range ADD COLUMN kind TEXT NOT NULL DEFAULT 'other' CHECK (kind IN ('op', 'annotation', 'gpu_annotation', 'python', 'overhead', 'profiler', 'other'));
ALTER TABLE range ADD COLUMN stream INTEGER REFERENCES stream (id);
ALTER TABLE range ADD COLUMN external INTEGER;
ALTER TABLE range ADD COLUMN number INTEGER;
ALTER TABLE range ADD COLUMN parent_number INTEGER;
ALTER TABLE range ADD COLUMN sequence INTEGER;
ALTER TABLE range ADD COLUMN forward_thread INTEGER;
ALTER TABLE range ADD COLUMN signature INTEGER REFERENCES signature (id);
ALTER TABLE range ADD COLUMN extra INTEGER REFERENCES string (id);
