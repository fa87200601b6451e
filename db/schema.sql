-- Seam's run file: one execution of a GPU program, recorded, imported or simulated, as one SQLite database (.seam).
-- This file is the format's documentation: every table and column says what it means and in which unit.
--
-- Conventions
--   * Times are integer nanoseconds on the run's clock; durations are end_ns - start_ns. NULL = unknown, never 0.
--   * Sizes are bytes. NULL = unknown.
--   * A column `evidence` says where the figures of its row come from (table evidence); a figure with another source than the rest
--     of its row has a column of its own (bytes_evidence).
--   * Names are interned in `string`; the views resolve them.
--   * Rows stand in the order of the program or of time: ids ascend with it.
--
-- application_id = 0x5345414d ("SEAM"), user_version = the version of this format. Old files are taken forward by
-- migrations/NNN.sql, never back.

PRAGMA application_id = 0x5345414d;
PRAGMA user_version = 1;

-- Where a figure comes from (DESIGN section 3).
CREATE TABLE evidence (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO evidence (id, name) VALUES
  (0, 'counter'),    -- a hardware counter
  (1, 'recorded'),   -- a time or size in a trace
  (2, 'simulated'),  -- counted while the real PTX ran on the simulator
  (3, 'modelled'),   -- a formula
  (4, 'unknown');

-- Interned text.
CREATE TABLE string (
  id    INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

-- The run itself: exactly one row.
CREATE TABLE run (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  kind         TEXT NOT NULL CHECK (kind IN ('recorded', 'imported', 'simulated', 'planned')),
  name         TEXT NOT NULL,  -- program or module
  command      TEXT,           -- what was run, as typed
  tool         TEXT NOT NULL,  -- who wrote this file: "seam 0.1.0"
  policy       TEXT,           -- planned and simulated runs: the planner's policy
  compiler     TEXT,           -- planned and simulated runs: what turned CUDA text into PTX
  device_count INTEGER NOT NULL,
  start_ns     INTEGER,        -- first and last instant that was observed
  end_ns       INTEGER
) STRICT;

-- Properties of the run that have no column of their own ("plan.sha256", "option.shared-cap" …).
CREATE TABLE property (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A GPU.
CREATE TABLE device (
  id               INTEGER PRIMARY KEY,  -- its ordinal
  name             TEXT NOT NULL,        -- as typed on the command line: "h100"
  product          TEXT,                 -- "NVIDIA H100 80GB HBM3"
  compute_major    INTEGER,
  compute_minor    INTEGER,
  sms              INTEGER,              -- streaming multiprocessors
  shared_per_block INTEGER,              -- bytes without opting in
  dram_bytes_per_s REAL,
  l2_bytes         INTEGER,
  clock_hz         REAL,
  virtual          INTEGER NOT NULL CHECK (virtual IN (0, 1))  -- 1: the simulator or a model of a device, no hardware
) STRICT;

-- A queue of work on a device.
CREATE TABLE stream (
  id     INTEGER PRIMARY KEY,
  device INTEGER NOT NULL REFERENCES device (id),
  number INTEGER NOT NULL,                 -- as the driver numbers it; 0 = default stream
  name   INTEGER REFERENCES string (id)
) STRICT;

-- A host thread that called the API.
CREATE TABLE thread (
  id      INTEGER PRIMARY KEY,
  process INTEGER,                         -- the system's process id
  number  INTEGER,                         -- the system's thread id
  name    INTEGER REFERENCES string (id)
) STRICT;

-- A kernel function: what a launch executes.
CREATE TABLE kernel (
  id          INTEGER PRIMARY KEY,
  name        INTEGER NOT NULL REFERENCES string (id),
  registers   INTEGER,                     -- per thread
  cuda_sha256 TEXT,                        -- of the CUDA text, PTX and kernel IR that it was built from
  ptx_sha256  TEXT,
  ir_sha256   TEXT,
  verdict     TEXT CHECK (verdict IN ('passed', 'failed', 'inconclusive', 'not run'))  -- of its proof; NULL = nobody checked it
) STRICT;

-- The ops that a kernel computes, in the order in which it does.
CREATE TABLE kernel_op (
  kernel INTEGER NOT NULL REFERENCES kernel (id),
  place  INTEGER NOT NULL,                 -- 0, 1, … within the kernel
  op     INTEGER NOT NULL REFERENCES string (id),   -- name in the module: "computation/op"
  opcode INTEGER NOT NULL REFERENCES string (id),
  origin INTEGER REFERENCES string (id),   -- the framework's name for it: "jit(step)/…/softmax/div"
  PRIMARY KEY (kernel, place)
) STRICT, WITHOUT ROWID;

-- One execution on the device: a kernel, or a library call whose kernels are not known.
CREATE TABLE launch (
  id             INTEGER PRIMARY KEY,
  sequence       INTEGER NOT NULL,         -- place in program order, shared with copy: 0, 1, …
  kind           TEXT NOT NULL CHECK (kind IN ('kernel', 'library')),
  name           INTEGER NOT NULL REFERENCES string (id),
  kernel         INTEGER REFERENCES kernel (id),    -- NULL for library calls
  stream         INTEGER REFERENCES stream (id),
  start_ns       INTEGER,
  end_ns         INTEGER,
  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,    -- blocks
  block_x INTEGER, block_y INTEGER, block_z INTEGER, -- threads
  static_shared  INTEGER,                  -- bytes per block
  dynamic_shared INTEGER,
  correlation    INTEGER,                  -- links to api_call.correlation
  graph          INTEGER,                  -- CUDA graph launch and node it was part of
  graph_node     INTEGER,
  computation    INTEGER REFERENCES string (id),    -- the module's computation that it belongs to
  trip           INTEGER,                  -- how many times that computation had run before in this invocation of its loop
  level          INTEGER,                  -- between which library-call layers it stands
  bytes_read     INTEGER,                  -- distinct bytes of global memory
  bytes_written  INTEGER,
  flops          REAL,
  bytes_evidence INTEGER NOT NULL REFERENCES evidence (id),
  evidence       INTEGER NOT NULL REFERENCES evidence (id)  -- that it happened, and when
) STRICT;

-- A copy or fill of memory.
CREATE TABLE copy (
  id          INTEGER PRIMARY KEY,
  sequence    INTEGER NOT NULL,            -- place in program order, shared with launch
  kind        TEXT NOT NULL CHECK (kind IN ('dtod', 'htod', 'dtoh', 'htoh', 'ptop', 'memset', 'unknown')),
  name        INTEGER REFERENCES string (id),       -- the op it serves, if known
  stream      INTEGER REFERENCES stream (id),
  start_ns    INTEGER,
  end_ns      INTEGER,
  bytes       INTEGER,                     -- moved, or filled
  correlation INTEGER,
  graph       INTEGER,
  graph_node  INTEGER,
  computation INTEGER REFERENCES string (id),
  trip        INTEGER,
  bytes_evidence INTEGER NOT NULL REFERENCES evidence (id),
  evidence    INTEGER NOT NULL REFERENCES evidence (id)
) STRICT;

-- A call of the driver or runtime API on the host.
CREATE TABLE api_call (
  id          INTEGER PRIMARY KEY,
  thread      INTEGER REFERENCES thread (id),
  name        INTEGER NOT NULL REFERENCES string (id),
  start_ns    INTEGER,
  end_ns      INTEGER,
  correlation INTEGER,
  result      INTEGER                      -- the API's return code
) STRICT;

-- A named span of time on the host: NVTX, framework op, step.
CREATE TABLE range (
  id       INTEGER PRIMARY KEY,
  parent   INTEGER REFERENCES range (id),
  thread   INTEGER REFERENCES thread (id),
  domain   INTEGER REFERENCES string (id), -- who marked it: "nvtx", "pytorch", …
  name     INTEGER NOT NULL REFERENCES string (id),
  start_ns INTEGER,
  end_ns   INTEGER
) STRICT;

-- What is missing from this file and why: everything that was dropped, not recorded or not expanded.
CREATE TABLE loss (
  reason TEXT PRIMARY KEY,                 -- a code: "loop-not-expanded"
  count  INTEGER,                          -- how many rows are missing; NULL = unknown
  detail TEXT NOT NULL                     -- a sentence for a reader
) STRICT, WITHOUT ROWID;

-- What a reader should know that is not a loss.
CREATE TABLE warning (
  id      INTEGER PRIMARY KEY,
  code    TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;
