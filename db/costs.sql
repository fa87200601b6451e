-- Seam's table of costs: what kernels do on a device, counted once and shared by all runs (by default ~/.cache/seam/costs.db). A row says
-- what one launch does; a row that a GPU measured stands above one that was simulated.
PRAGMA application_id = 0x5345434f;  -- "SECO"
PRAGMA user_version = 1;

CREATE TABLE cost (
  key             TEXT NOT NULL,     -- SHA-256 of the kernel's text up to names, its launch and the budget of instructions, in hexadecimal
  device          TEXT NOT NULL,     -- as typed on the command line: "h100"
  version         INTEGER NOT NULL,  -- of the code that emits, compiles and counts: rows of others are not read
  evidence        TEXT NOT NULL CHECK (evidence IN ('recorded', 'simulated', 'modelled')),
                                     -- simulated: all blocks ran; modelled: a sample of them, taken times the blocks; recorded: time by a GPU
  what            TEXT NOT NULL,     -- for people
  blocks          INTEGER NOT NULL,  -- of the launch
  blocks_run      INTEGER NOT NULL,  -- that the simulator ran
  threads         INTEGER NOT NULL,  -- per block
  shared_bytes    INTEGER NOT NULL,  -- per block
  dram_bytes      REAL NOT NULL,     -- in distinct 32-byte sectors
  l2_bytes        REAL NOT NULL,     -- asked of the L2 beyond that
  sectors         REAL NOT NULL,     -- 32-byte sectors asked for, per warp access
  instructions    REAL NOT NULL,     -- of threads, idle lanes of warps that run included
  wavefronts      REAL NOT NULL,     -- passes through L1 and shared memory
  shared_conflicts REAL NOT NULL,    -- passes through shared memory above the least
  barriers        REAL NOT NULL,     -- that one block waits at
  atomic_sectors  REAL NOT NULL,
  recorded_us     REAL,              -- measured by a GPU, without the launch gap; NULL: the time model says it from the counts
  PRIMARY KEY (key, device, version, evidence)
) STRICT, WITHOUT ROWID;
