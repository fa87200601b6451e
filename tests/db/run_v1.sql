-- A run file of format version 1, as Seam wrote them before recordings were read.

PRAGMA application_id = 0x5345414d;
PRAGMA user_version = 1;

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
  id     INTEGER PRIMARY KEY,
  device INTEGER NOT NULL REFERENCES device (id),
  number INTEGER NOT NULL,
  name   INTEGER REFERENCES string (id)
) STRICT;

CREATE TABLE thread (
  id      INTEGER PRIMARY KEY,
  process INTEGER,
  number  INTEGER,
  name    INTEGER REFERENCES string (id)
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
  evidence       INTEGER NOT NULL REFERENCES evidence (id)
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
  evidence    INTEGER NOT NULL REFERENCES evidence (id)
) STRICT;

CREATE TABLE api_call (
  id          INTEGER PRIMARY KEY,
  thread      INTEGER REFERENCES thread (id),
  name        INTEGER NOT NULL REFERENCES string (id),
  start_ns    INTEGER,
  end_ns      INTEGER,
  correlation INTEGER,
  result      INTEGER
) STRICT;

CREATE TABLE range (
  id       INTEGER PRIMARY KEY,
  parent   INTEGER REFERENCES range (id),
  thread   INTEGER REFERENCES thread (id),
  domain   INTEGER REFERENCES string (id),
  name     INTEGER NOT NULL REFERENCES string (id),
  start_ns INTEGER,
  end_ns   INTEGER
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
INSERT INTO string VALUES (0,'softmax'),(1,'main/exp.1'),(2,'exponential'),(3,'cudaLaunchKernel'),(4,'step');
INSERT INTO run VALUES (1,'simulated','step',NULL,'seam 0.1.0','stitch',NULL,1,NULL,NULL);
INSERT INTO device VALUES (0,'h100','NVIDIA H100 SXM5 80GB',9,0,132,49152,3.35e12,52428800,1.98e9,1);
INSERT INTO stream VALUES (0,0,0,NULL);
INSERT INTO thread VALUES (0,4711,4712,NULL),(1,4711,4713,NULL),(2,NULL,NULL,NULL);
INSERT INTO kernel VALUES (0,0,40,'aa',NULL,NULL,'passed');
INSERT INTO kernel_op VALUES (0,0,1,2,NULL);
INSERT INTO launch VALUES (0,0,'kernel',0,0,0,NULL,NULL,512,1,1,256,1,1,NULL,NULL,17,NULL,NULL,NULL,NULL,NULL,100,40,NULL,2,2);
INSERT INTO copy VALUES (0,1,'memset',NULL,0,NULL,NULL,64,NULL,NULL,NULL,NULL,NULL,3,3);
INSERT INTO api_call VALUES (0,0,3,10,20,17,0);
INSERT INTO range VALUES (0,NULL,1,NULL,4,5,50);
INSERT INTO loss VALUES ('loop-not-expanded',7,'rows of loop a');

CREATE VIEW launches AS
SELECT l.id, l.sequence, l.kind, s.value AS name, l.stream, l.start_ns, l.end_ns, l.end_ns - l.start_ns AS duration_ns,
       l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.static_shared, l.dynamic_shared,
       c.value AS computation, l.trip, l.level, l.bytes_read, l.bytes_written, l.flops,
       b.name AS bytes_evidence, e.name AS evidence
FROM launch l JOIN string s ON s.id = l.name LEFT JOIN string c ON c.id = l.computation
     JOIN evidence b ON b.id = l.bytes_evidence JOIN evidence e ON e.id = l.evidence;

CREATE VIEW copies AS
SELECT c.id, c.sequence, c.kind, s.value AS name, c.stream, c.start_ns, c.end_ns, c.end_ns - c.start_ns AS duration_ns, c.bytes,
       p.value AS computation, c.trip, b.name AS bytes_evidence, e.name AS evidence
FROM copy c LEFT JOIN string s ON s.id = c.name LEFT JOIN string p ON p.id = c.computation
     JOIN evidence b ON b.id = c.bytes_evidence JOIN evidence e ON e.id = c.evidence;

CREATE VIEW program AS
SELECT sequence, kind, name, computation, trip, bytes_read, bytes_written, bytes_evidence FROM launches
UNION ALL
SELECT sequence, kind, name, computation, trip, CASE kind WHEN 'memset' THEN 0 ELSE bytes END, bytes, bytes_evidence FROM copies
ORDER BY sequence;

CREATE VIEW kernels AS
SELECT k.id, s.value AS name, k.verdict, k.registers, count(l.id) AS launches, sum(l.bytes_read) AS bytes_read,
       sum(l.bytes_written) AS bytes_written, CASE WHEN min(b.id) = max(b.id) THEN min(b.name) WHEN count(b.id) > 0 THEN 'mixed' END AS bytes_evidence,
       (SELECT count(*) FROM kernel_op o WHERE o.kernel = k.id) AS ops, k.cuda_sha256, k.ptx_sha256, k.ir_sha256
FROM kernel k JOIN string s ON s.id = k.name LEFT JOIN launch l ON l.kernel = k.id LEFT JOIN evidence b ON b.id = l.bytes_evidence
GROUP BY k.id;

CREATE VIEW kernel_ops AS
SELECT o.kernel, k.value AS kernel_name, o.place, op.value AS op, c.value AS opcode, g.value AS origin
FROM kernel_op o JOIN kernel f ON f.id = o.kernel JOIN string k ON k.id = f.name JOIN string op ON op.id = o.op
     JOIN string c ON c.id = o.opcode LEFT JOIN string g ON g.id = o.origin;

CREATE VIEW totals AS
SELECT kind, count(*) AS count,
       CASE WHEN count(*) = count(bytes_read) THEN sum(bytes_read) END AS bytes_read,
       CASE WHEN count(*) = count(bytes_written) THEN sum(bytes_written) END AS bytes_written
FROM program GROUP BY kind;

CREATE VIEW api_calls AS
SELECT a.id, a.thread, s.value AS name, a.start_ns, a.end_ns, a.end_ns - a.start_ns AS duration_ns, a.correlation, a.result
FROM api_call a JOIN string s ON s.id = a.name;

CREATE VIEW ranges AS
SELECT r.id, r.parent, r.thread, d.value AS domain, s.value AS name, r.start_ns, r.end_ns, r.end_ns - r.start_ns AS duration_ns
FROM range r JOIN string s ON s.id = r.name LEFT JOIN string d ON d.id = r.domain;
CREATE INDEX launch_sequence ON launch (sequence);
CREATE INDEX api_call_correlation ON api_call (correlation) WHERE correlation IS NOT NULL;
