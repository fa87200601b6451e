-- Seam's run file: one execution of a GPU program, recorded, imported or simulated, as one SQLite database (.seam).
-- This file is the format's documentation: every table and column says what it means and in which unit.
--
-- Conventions
--   * Times are integer nanoseconds on the run's clock (table clock says how it lies to the Unix epoch); durations are end_ns - start_ns.
--     NULL = unknown, never 0.
--   * Sizes are bytes. NULL = unknown.
--   * A column `evidence` says where the figures of its row come from (table evidence); a figure with another source than the rest
--     of its row has a column of its own (bytes_evidence).
--   * Names are interned in `string`; the views resolve them.
--   * Rows stand in the order of the program, of time, or of the file that they were imported from: ids ascend with it.
--   * `correlation` is the profiler's number that a call of the API and the work that it started share. Work belongs to the first call of
--     its process that has its number; `process` of a launch or copy is NULL where only one process of the file calls the API.
--   * `external` is the framework's number ("External id" of Kineto) that an op and the calls and work under it share.
--   * `extra` is a JSON object of what else the source said of a row and no column holds.
--
-- application_id = 0x5345414d ("SEAM"), user_version = the version of this format. Old files are taken forward by
-- migrations/NNN.sql, never back.

PRAGMA application_id = 0x5345414d;
PRAGMA user_version = 3;

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
  id      INTEGER PRIMARY KEY,
  device  INTEGER NOT NULL REFERENCES device (id),
  number  INTEGER NOT NULL,                -- as the driver numbers it; 0 = default stream
  name    INTEGER REFERENCES string (id),
  context INTEGER                          -- as the driver numbers it
) STRICT;

-- How the run's clock lies to others.
CREATE TABLE clock (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,      -- "run": the one of all times in this file
  unix_ns       INTEGER,                   -- Unix time of its zero; NULL = unknown
  resolution_ns INTEGER                    -- times are multiples of this
) STRICT;

-- A process of the host.
CREATE TABLE process (
  id     INTEGER PRIMARY KEY,
  number INTEGER,                          -- the system's process id, where it is one
  label  TEXT NOT NULL,                    -- as the source writes it
  name   INTEGER REFERENCES string (id)
) STRICT;

-- A thread of the host.
CREATE TABLE thread (
  id      INTEGER PRIMARY KEY,
  process INTEGER REFERENCES process (id),
  number  INTEGER,                         -- the system's thread id, where it is one
  name    INTEGER REFERENCES string (id),
  label   TEXT                             -- as the source writes it
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
  static_shared  INTEGER,                  -- bytes per block; NULL: dynamic_shared is the sum of both
  dynamic_shared INTEGER,
  correlation    INTEGER,                  -- links to api_call.correlation
  graph          INTEGER,                  -- CUDA graph launch and node it was part of
  graph_node     INTEGER,
  computation    INTEGER REFERENCES string (id),    -- the module's computation that it belongs to
  trip           INTEGER,                  -- how many times that computation had run before in this invocation of its loop
  level          INTEGER,                  -- between which library-call layers it stands
  bytes_read     INTEGER,                  -- distinct bytes of global memory; counted ones: what DRAM gave
  bytes_written  INTEGER,
  flops          REAL,
  bytes_evidence INTEGER NOT NULL REFERENCES evidence (id),
  evidence       INTEGER NOT NULL REFERENCES evidence (id), -- that it happened, and when
  process        INTEGER REFERENCES process (id),
  external       INTEGER,
  extra          INTEGER REFERENCES string (id)
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
  evidence    INTEGER NOT NULL REFERENCES evidence (id),
  process     INTEGER REFERENCES process (id),
  external    INTEGER,
  source      INTEGER REFERENCES string (id),   -- the kind of memory: "pageable", "pinned", "device", "managed" …
  destination INTEGER REFERENCES string (id),
  extra       INTEGER REFERENCES string (id)
) STRICT;

-- A call of the driver or runtime API on the host.
CREATE TABLE api_call (
  id          INTEGER PRIMARY KEY,
  thread      INTEGER REFERENCES thread (id),
  name        INTEGER NOT NULL REFERENCES string (id),
  start_ns    INTEGER,
  end_ns      INTEGER,
  correlation INTEGER,
  result      INTEGER,                     -- the API's return code
  kind        TEXT NOT NULL DEFAULT 'runtime' CHECK (kind IN ('runtime', 'driver')),
  external    INTEGER,
  extra       INTEGER REFERENCES string (id)
) STRICT;

-- A named span of time: framework op, Python function, annotation, NVTX range.
CREATE TABLE range (
  id             INTEGER PRIMARY KEY,
  parent         INTEGER REFERENCES range (id),  -- the span around it where the source says so; most sources leave it to the times
  thread         INTEGER REFERENCES thread (id), -- NULL: it stands on a stream
  domain         INTEGER REFERENCES string (id), -- the source's category: "cpu_op", "nvtx" …
  name           INTEGER NOT NULL REFERENCES string (id),
  start_ns       INTEGER,
  end_ns         INTEGER,                        -- NULL: it had not ended
  kind           TEXT NOT NULL DEFAULT 'other' CHECK (kind IN ('op', 'annotation', 'gpu_annotation', 'python', 'overhead', 'profiler', 'other')),
  stream         INTEGER REFERENCES stream (id),
  external       INTEGER,
  number         INTEGER,  -- op: the id that PyTorch's ExecutionTrace calls rf_id; python: the frame
  parent_number  INTEGER,  -- python: the calling frame
  sequence       INTEGER,  -- op: autograd's number, which a backward op shares with its forward op
  forward_thread INTEGER,  -- op: autograd's number of the thread that ran the forward op
  signature      INTEGER REFERENCES signature (id),
  extra          INTEGER REFERENCES string (id)
) STRICT;

-- What ops were called with, or gave: one row for all calls with the same types, shapes, strides and values.
CREATE TABLE signature (
  id     INTEGER PRIMARY KEY,
  inputs INTEGER NOT NULL
) STRICT;
CREATE TABLE signature_input (
  signature INTEGER NOT NULL REFERENCES signature (id),
  place     INTEGER NOT NULL,              -- 0, 1, … among the op's inputs
  type      INTEGER REFERENCES string (id),-- as the framework says it: "float", "c10::BFloat16", "ScalarList"; NULL = none or not said
  dims      TEXT,                          -- JSON list of extents; a list of lists for a list of tensors; NULL = no tensor
  strides   TEXT,                          -- in elements, as dims
  value     INTEGER REFERENCES string (id),-- of scalars and lists, as text
  PRIMARY KEY (signature, place)
) STRICT, WITHOUT ROWID;

-- Waiting of the host or of a stream.
CREATE TABLE sync (
  id               INTEGER PRIMARY KEY,
  kind             TEXT NOT NULL CHECK (kind IN ('stream', 'context', 'event', 'stream_wait_event', 'unknown')),
  stream           INTEGER REFERENCES stream (id),  -- NULL: the whole context
  start_ns         INTEGER,
  end_ns           INTEGER,
  correlation      INTEGER,
  wait_stream      INTEGER,                         -- number of the stream whose event is waited for
  wait_correlation INTEGER,                         -- of the call that recorded that event
  wait_event       INTEGER,                         -- the event's number
  process          INTEGER REFERENCES process (id),
  external         INTEGER,
  extra            INTEGER REFERENCES string (id)
) STRICT;

-- What a communication kernel or op says of its collective.
CREATE TABLE collective (
  id           INTEGER PRIMARY KEY,
  launch       INTEGER REFERENCES launch (id),      -- one of these three
  range        INTEGER REFERENCES range (id),
  name         INTEGER REFERENCES string (id),      -- "allreduce", "_allgather_base" …
  dtype        INTEGER REFERENCES string (id),
  elements_in  INTEGER,
  elements_out INTEGER,
  group_name   INTEGER REFERENCES string (id),
  group_size   INTEGER,
  ranks        INTEGER REFERENCES string (id),      -- JSON list
  sequence     INTEGER,                             -- of the collective within its group
  node         INTEGER REFERENCES node (id)
) STRICT;

-- A change of what is allocated.
CREATE TABLE allocation (
  id            INTEGER PRIMARY KEY,
  time_ns       INTEGER,
  thread        INTEGER REFERENCES thread (id),
  device        INTEGER,                            -- NULL: host memory
  address       INTEGER,
  bytes         INTEGER,                            -- negative: freed
  allocated     INTEGER,                            -- in all, afterwards
  reserved      INTEGER,
  extra         INTEGER REFERENCES string (id)
) STRICT;

-- A moment with a name.
CREATE TABLE instant (
  id       INTEGER PRIMARY KEY,
  thread   INTEGER REFERENCES thread (id),
  category INTEGER REFERENCES string (id),
  name     INTEGER NOT NULL REFERENCES string (id),
  time_ns  INTEGER,
  extra    INTEGER REFERENCES string (id)
) STRICT;

-- One value of a curve over time; an event with several series makes several rows.
CREATE TABLE counter (
  id      INTEGER PRIMARY KEY,
  process INTEGER REFERENCES process (id),
  name    INTEGER NOT NULL REFERENCES string (id),
  series  INTEGER REFERENCES string (id),
  time_ns INTEGER,
  value   REAL
) STRICT;

-- One end of an arrow between two spans, as the source draws it. Arrows from a launch call to its work are not here: correlation says the same.
CREATE TABLE flow (
  id       INTEGER PRIMARY KEY,
  category INTEGER REFERENCES string (id),          -- "fwdbwd": forward op to its backward op
  number   INTEGER,                                 -- both ends have it
  place    TEXT NOT NULL CHECK (place IN ('start', 'step', 'end')),
  thread   INTEGER REFERENCES thread (id),
  time_ns  INTEGER
) STRICT;

-- What a profiler's counters say of a launch: one row per counter. Hardware counted them (evidence 0), in passes that may run the kernel again and again, so
-- times among them are no times of the run.
CREATE TABLE launch_counter (
  launch  INTEGER NOT NULL REFERENCES launch (id),
  counter INTEGER NOT NULL REFERENCES string (id),  -- "dram__bytes_read.sum", "SQ_WAVES"; in details pages "section/metric"
  unit    INTEGER REFERENCES string (id),           -- of value: times are in "nsecond", sizes in "byte", others as the source writes them; NULL = none
  value   REAL,
  text    INTEGER REFERENCES string (id),           -- where it is no number
  PRIMARY KEY (launch, counter)
) STRICT, WITHOUT ROWID;

-- A node of an execution trace (PyTorch's ExecutionTrace, Chakra): what ran, in which order, on which tensors. Most of these traces know no times.
CREATE TABLE node (
  id             INTEGER PRIMARY KEY,
  number         INTEGER NOT NULL,                  -- the trace's own id
  kind           TEXT NOT NULL CHECK (kind IN ('host', 'root', 'device', 'communication', 'memory', 'metadata')),  -- root: stands for a process or thread
  name           INTEGER NOT NULL REFERENCES string (id),
  thread         INTEGER REFERENCES thread (id),
  range          INTEGER REFERENCES range (id),     -- the op or annotation that it is; NULL: none, or the trace joined with it has none
  launch         INTEGER REFERENCES launch (id),    -- the kernel that it is
  copy           INTEGER REFERENCES copy (id),      -- the copy or fill that it is
  parent         INTEGER,                           -- number of the node around it
  record         INTEGER,                           -- rf_id: what Kineto calls "Record function id"
  forward_parent INTEGER,                           -- number of the forward node that called backward
  scope          INTEGER,                           -- PyTorch's RecordScope: 0 function, 1 backward function, 7 user range
  duration_ns    INTEGER,                           -- where it is known without a start
  op_schema      INTEGER REFERENCES string (id),    -- "aten::add.Tensor(Tensor self, …) -> Tensor"
  backend        INTEGER REFERENCES string (id),    -- of a generated kernel: "triton"
  kernel_file    INTEGER REFERENCES string (id),    -- its source
  inputs         INTEGER REFERENCES signature (id),
  outputs        INTEGER REFERENCES signature (id),
  extra          INTEGER REFERENCES string (id)
) STRICT;

-- What a node waits for, beside the node around it.
CREATE TABLE node_edge (
  node   INTEGER NOT NULL REFERENCES node (id),
  place  INTEGER NOT NULL,                          -- 0, 1, … of its kind
  kind   TEXT NOT NULL CHECK (kind IN ('control', 'data')),
  source INTEGER NOT NULL,                          -- number of the node that comes first
  PRIMARY KEY (node, kind, place)
) STRICT, WITHOUT ROWID;

-- Which tensor an input or output of a node is. Numbers are used again once their tensor is gone: the same tensor is the same (tensor, storage) between
-- two writes of that tensor. Shape, strides and type are the signature's at the same place.
CREATE TABLE node_tensor (
  node       INTEGER NOT NULL REFERENCES node (id),
  side       TEXT NOT NULL CHECK (side IN ('input', 'output')),
  place      INTEGER NOT NULL,                      -- 0, 1, … among the inputs or outputs
  item       INTEGER NOT NULL,                      -- 0, 1, … within a list of tensors; 0 for a single one
  tensor     INTEGER NOT NULL,
  storage    INTEGER,                               -- memory that views share; 0: the tensor is undefined
  offset     INTEGER,                               -- of its first element in the storage, in elements
  elements   INTEGER,
  item_bytes INTEGER,                               -- of one element
  device     INTEGER REFERENCES string (id),        -- "cuda:0"
  PRIMARY KEY (node, side, place, item)
) STRICT, WITHOUT ROWID;

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
