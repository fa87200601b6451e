-- Views: names resolved, usable from any SQLite client. A comment in front of each says what a row is.

-- launches: one row per kernel or library call, in program order.
CREATE VIEW launches AS
SELECT l.id, l.sequence, l.kind, s.value AS name, l.stream, l.start_ns, l.end_ns, l.end_ns - l.start_ns AS duration_ns,
       l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.static_shared, l.dynamic_shared,
       c.value AS computation, l.trip, l.level, l.bytes_read, l.bytes_written, l.flops,
       b.name AS bytes_evidence, e.name AS evidence
FROM launch l JOIN string s ON s.id = l.name LEFT JOIN string c ON c.id = l.computation
     JOIN evidence b ON b.id = l.bytes_evidence JOIN evidence e ON e.id = l.evidence;

-- copies: one row per memcpy or memset, in program order.
CREATE VIEW copies AS
SELECT c.id, c.sequence, c.kind, s.value AS name, c.stream, c.start_ns, c.end_ns, c.end_ns - c.start_ns AS duration_ns, c.bytes,
       p.value AS computation, c.trip, b.name AS bytes_evidence, e.name AS evidence
FROM copy c LEFT JOIN string s ON s.id = c.name LEFT JOIN string p ON p.id = c.computation
     JOIN evidence b ON b.id = c.bytes_evidence JOIN evidence e ON e.id = c.evidence;

-- program: everything the device does, in order: kernels, library calls, copies.
CREATE VIEW program AS
SELECT sequence, kind, name, computation, trip, bytes_read, bytes_written, bytes_evidence FROM launches
UNION ALL
SELECT sequence, kind, name, computation, trip, CASE kind WHEN 'memset' THEN 0 ELSE bytes END, bytes, bytes_evidence FROM copies
ORDER BY sequence;

-- kernels: one row per kernel function with how often it ran and what it moved in all.
CREATE VIEW kernels AS
SELECT k.id, s.value AS name, k.verdict, k.registers, count(l.id) AS launches, sum(l.bytes_read) AS bytes_read,
       sum(l.bytes_written) AS bytes_written, CASE WHEN min(b.id) = max(b.id) THEN min(b.name) WHEN count(b.id) > 0 THEN 'mixed' END AS bytes_evidence,
       (SELECT count(*) FROM kernel_op o WHERE o.kernel = k.id) AS ops, k.cuda_sha256, k.ptx_sha256, k.ir_sha256
FROM kernel k JOIN string s ON s.id = k.name LEFT JOIN launch l ON l.kernel = k.id LEFT JOIN evidence b ON b.id = l.bytes_evidence
GROUP BY k.id;

-- kernel_ops: the ops inside each kernel, in order.
CREATE VIEW kernel_ops AS
SELECT o.kernel, k.value AS kernel_name, o.place, op.value AS op, c.value AS opcode, g.value AS origin
FROM kernel_op o JOIN kernel f ON f.id = o.kernel JOIN string k ON k.id = f.name JOIN string op ON op.id = o.op
     JOIN string c ON c.id = o.opcode LEFT JOIN string g ON g.id = o.origin;

-- totals: counts and bytes by kind; counts of different kinds are never added up. bytes is NULL where one of them is unknown.
CREATE VIEW totals AS
SELECT kind, count(*) AS count,
       CASE WHEN count(*) = count(bytes_read) THEN sum(bytes_read) END AS bytes_read,
       CASE WHEN count(*) = count(bytes_written) THEN sum(bytes_written) END AS bytes_written
FROM program GROUP BY kind;

-- api_calls: one row per API call with its name.
CREATE VIEW api_calls AS
SELECT a.id, a.thread, s.value AS name, a.start_ns, a.end_ns, a.end_ns - a.start_ns AS duration_ns, a.correlation, a.result
FROM api_call a JOIN string s ON s.id = a.name;

-- ranges: one row per named span with its name and domain.
CREATE VIEW ranges AS
SELECT r.id, r.parent, r.thread, d.value AS domain, s.value AS name, r.start_ns, r.end_ns, r.end_ns - r.start_ns AS duration_ns
FROM range r JOIN string s ON s.id = r.name LEFT JOIN string d ON d.id = r.domain;
