-- From version 2 to 3: execution traces and counters of launches. Comments on the columns stand in schema.sql.
CREATE TABLE launch_counter (
  launch  INTEGER NOT NULL REFERENCES launch (id),
  counter INTEGER NOT NULL REFERENCES string (id),
  unit    INTEGER REFERENCES string (id),
  value   REAL,
  text    INTEGER REFERENCES string (id),
  PRIMARY KEY (launch, counter)
) STRICT, WITHOUT ROWID;

CREATE TABLE node (
  id             INTEGER PRIMARY KEY,
  number         INTEGER NOT NULL,
  kind           TEXT NOT NULL CHECK (kind IN ('host', 'root', 'device', 'communication', 'memory', 'metadata')),
  name           INTEGER NOT NULL REFERENCES string (id),
  thread         INTEGER REFERENCES thread (id),
  range          INTEGER REFERENCES range (id),
  launch         INTEGER REFERENCES launch (id),
  copy           INTEGER REFERENCES copy (id),
  parent         INTEGER,
  record         INTEGER,
  forward_parent INTEGER,
  scope          INTEGER,
  duration_ns    INTEGER,
  op_schema      INTEGER REFERENCES string (id),
  backend        INTEGER REFERENCES string (id),
  kernel_file    INTEGER REFERENCES string (id),
  inputs         INTEGER REFERENCES signature (id),
  outputs        INTEGER REFERENCES signature (id),
  extra          INTEGER REFERENCES string (id)
) STRICT;

CREATE TABLE node_edge (
  node   INTEGER NOT NULL REFERENCES node (id),
  place  INTEGER NOT NULL,
  kind   TEXT NOT NULL CHECK (kind IN ('control', 'data')),
  source INTEGER NOT NULL,
  PRIMARY KEY (node, kind, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_tensor (
  node       INTEGER NOT NULL REFERENCES node (id),
  side       TEXT NOT NULL CHECK (side IN ('input', 'output')),
  place      INTEGER NOT NULL,
  item       INTEGER NOT NULL,
  tensor     INTEGER NOT NULL,
  storage    INTEGER,
  offset     INTEGER,
  elements   INTEGER,
  item_bytes INTEGER,
  device     INTEGER REFERENCES string (id),
  PRIMARY KEY (node, side, place, item)
) STRICT, WITHOUT ROWID;

ALTER TABLE collective ADD COLUMN node INTEGER REFERENCES node (id);
