-- A run file of format version 2, as Seam wrote them before execution traces and counters were read.

PRAGMA application_id = 0x5345414d;
PRAGMA user_version = 2;

CREATE TABLE evidence (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO evidence (id, name) VALUES
  (0, 'counter'),
  (1, 'recorded'),
  (2, 'simulated'),
  (3, 'modelled'),
  (4, 'unknown');

CREATE TABLE string (
  id    INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE run (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  kind         TEXT NOT NULL CHECK (kind IN ('recorded', 'imported', 'simulated', 'planned')),
  name         TEXT NOT NULL,
  command      TEXT,
  tool         TEXT NOT NULL,
  policy       TEXT,
  compiler     TEXT,
  device_count INTEGER NOT NULL,
  start_ns     INTEGER,
  end_ns       INTEGER
) STRICT;

CREATE TABLE property (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE device (
  id               INTEGER PRIMARY KEY,
  name             TEXT NOT NULL,
  product          TEXT,
  compute_major    INTEGER,
  compute_minor    INTEGER,
  sms              INTEGER,
  shared_per_block INTEGER,
  dram_bytes_per_s REAL,
  l2_bytes         INTEGER,
  clock_hz         REAL,
  virtual          INTEGER NOT NULL CHECK (virtual IN (0, 1))
) STRICT;

CREATE TABLE stream (
  id      INTEGER PRIMARY KEY,
  device  INTEGER NOT NULL REFERENCES device (id),
  number  INTEGER NOT NULL,
  name    INTEGER REFERENCES string (id),
  context INTEGER
) STRICT;

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

CREATE TABLE thread (
  id      INTEGER PRIMARY KEY,
  process INTEGER REFERENCES process (id),
  number  INTEGER,
  name    INTEGER REFERENCES string (id),
  label   TEXT
) STRICT;

CREATE TABLE kernel (
  id          INTEGER PRIMARY KEY,
  name        INTEGER NOT NULL REFERENCES string (id),
  registers   INTEGER,
  cuda_sha256 TEXT,
  ptx_sha256  TEXT,
  ir_sha256   TEXT,
  verdict     TEXT CHECK (verdict IN ('passed', 'failed', 'inconclusive', 'not run'))
) STRICT;

CREATE TABLE kernel_op (
  kernel INTEGER NOT NULL REFERENCES kernel (id),
  place  INTEGER NOT NULL,
  op     INTEGER NOT NULL REFERENCES string (id),
  opcode INTEGER NOT NULL REFERENCES string (id),
  origin INTEGER REFERENCES string (id),
  PRIMARY KEY (kernel, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE launch (
  id             INTEGER PRIMARY KEY,
  sequence       INTEGER NOT NULL,
  kind           TEXT NOT NULL CHECK (kind IN ('kernel', 'library')),
  name           INTEGER NOT NULL REFERENCES string (id),
  kernel         INTEGER REFERENCES kernel (id),
  stream         INTEGER REFERENCES stream (id),
  start_ns       INTEGER,
  end_ns         INTEGER,
  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
  block_x INTEGER, block_y INTEGER, block_z INTEGER,
  static_shared  INTEGER,
  dynamic_shared INTEGER,
  correlation    INTEGER,
  graph          INTEGER,
  graph_node     INTEGER,
  computation    INTEGER REFERENCES string (id),
  trip           INTEGER,
  level          INTEGER,
  bytes_read     INTEGER,
  bytes_written  INTEGER,
  flops          REAL,
  bytes_evidence INTEGER NOT NULL REFERENCES evidence (id),
  evidence       INTEGER NOT NULL REFERENCES evidence (id),
  process        INTEGER REFERENCES process (id),
  external       INTEGER,
  extra          INTEGER REFERENCES string (id)
) STRICT;

CREATE TABLE copy (
  id          INTEGER PRIMARY KEY,
  sequence    INTEGER NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('dtod', 'htod', 'dtoh', 'htoh', 'ptop', 'memset', 'unknown')),
  name        INTEGER REFERENCES string (id),
  stream      INTEGER REFERENCES stream (id),
  start_ns    INTEGER,
  end_ns      INTEGER,
  bytes       INTEGER,
  correlation INTEGER,
  graph       INTEGER,
  graph_node  INTEGER,
  computation INTEGER REFERENCES string (id),
  trip        INTEGER,
  bytes_evidence INTEGER NOT NULL REFERENCES evidence (id),
  evidence    INTEGER NOT NULL REFERENCES evidence (id),
  process     INTEGER REFERENCES process (id),
  external    INTEGER,
  source      INTEGER REFERENCES string (id),
  destination INTEGER REFERENCES string (id),
  extra       INTEGER REFERENCES string (id)
) STRICT;

CREATE TABLE api_call (
  id          INTEGER PRIMARY KEY,
  thread      INTEGER REFERENCES thread (id),
  name        INTEGER NOT NULL REFERENCES string (id),
  start_ns    INTEGER,
  end_ns      INTEGER,
  correlation INTEGER,
  result      INTEGER,
  kind        TEXT NOT NULL DEFAULT 'runtime' CHECK (kind IN ('runtime', 'driver')),
  external    INTEGER,
  extra       INTEGER REFERENCES string (id)
) STRICT;

CREATE TABLE range (
  id             INTEGER PRIMARY KEY,
  parent         INTEGER REFERENCES range (id),
  thread         INTEGER REFERENCES thread (id),
  domain         INTEGER REFERENCES string (id),
  name           INTEGER NOT NULL REFERENCES string (id),
  start_ns       INTEGER,
  end_ns         INTEGER,
  kind           TEXT NOT NULL DEFAULT 'other' CHECK (kind IN ('op', 'annotation', 'gpu_annotation', 'python', 'overhead', 'profiler', 'other')),
  stream         INTEGER REFERENCES stream (id),
  external       INTEGER,
  number         INTEGER,
  parent_number  INTEGER,
  sequence       INTEGER,
  forward_thread INTEGER,
  signature      INTEGER REFERENCES signature (id),
  extra          INTEGER REFERENCES string (id)
) STRICT;

CREATE TABLE signature (
  id     INTEGER PRIMARY KEY,
  inputs INTEGER NOT NULL
) STRICT;
CREATE TABLE signature_input (
  signature INTEGER NOT NULL REFERENCES signature (id),
  place     INTEGER NOT NULL,
  type      INTEGER REFERENCES string (id),-- as the framework says it: "float", "c10::BFloat16", "ScalarList"; NULL = none or not said
  dims      TEXT,
  strides   TEXT,
  value     INTEGER REFERENCES string (id),-- of scalars and lists, as text
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

CREATE TABLE loss (
  reason TEXT PRIMARY KEY,
  count  INTEGER,
  detail TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE warning (
  id      INTEGER PRIMARY KEY,
  code    TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;

INSERT INTO string (id, value) VALUES (0, 'aten::add'), (1, 'cudaLaunchKernel'), (2, 'add_kernel'), (3, 'float'), (4, 'ncclAllReduce'), (5, 'cpu_op');
INSERT INTO run VALUES (1, 'imported', 'trace.json', 'seam import', 'seam 0.1.0', NULL, NULL, 1, 0, 90);
INSERT INTO device VALUES (0, 'a100', 'NVIDIA A100', 8, 0, 108, NULL, NULL, NULL, NULL, 0);
INSERT INTO stream VALUES (0, 0, 7, NULL, 1);
INSERT INTO clock VALUES (0, 'run', 0, 1000);
INSERT INTO process VALUES (0, 11, '11', NULL);
INSERT INTO thread VALUES (0, 0, 12, NULL, '12');
INSERT INTO kernel VALUES (0, 2, 32, NULL, NULL, NULL, NULL);
INSERT INTO launch (id, sequence, kind, name, kernel, stream, start_ns, end_ns, correlation, bytes_evidence, evidence) VALUES (0, 0, 'kernel', 2, 0, 0, 50, 90, 17, 4, 1);
INSERT INTO api_call (id, thread, name, start_ns, end_ns, correlation) VALUES (0, 0, 1, 10, 20, 17);
INSERT INTO signature VALUES (0, 1);
INSERT INTO signature_input VALUES (0, 0, 3, '[4,4]', '[4,1]', NULL);
INSERT INTO range (id, thread, domain, name, start_ns, end_ns, kind, number, signature) VALUES (0, 0, 5, 0, 0, 30, 'op', 3, 0);
INSERT INTO collective VALUES (0, 0, NULL, 4, 3, 16, 16, NULL, 2, NULL, 5);
INSERT INTO counter VALUES (0, 0, 0, NULL, 5, 1.5);
INSERT INTO loss VALUES ('no-time', 2, 'events without a time');
