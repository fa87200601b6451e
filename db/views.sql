-- Views: names resolved, usable from any SQLite client. A comment in front of each says what a row is.

-- launches: one row per kernel or library call, in program order.
CREATE VIEW launches AS
SELECT l.id, l.sequence, l.kind, s.value AS name, l.stream, l.start_ns, l.end_ns, l.end_ns - l.start_ns AS duration_ns,
       l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.static_shared, l.dynamic_shared,
       c.value AS computation, l.trip, l.level, l.bytes_read, l.bytes_written, l.flops,
       b.name AS bytes_evidence, e.name AS evidence, l.correlation, l.external, l.graph, l.graph_node
FROM launch l JOIN string s ON s.id = l.name LEFT JOIN string c ON c.id = l.computation
     JOIN evidence b ON b.id = l.bytes_evidence JOIN evidence e ON e.id = l.evidence;

-- copies: one row per memcpy or memset, in program order.
CREATE VIEW copies AS
SELECT c.id, c.sequence, c.kind, s.value AS name, c.stream, c.start_ns, c.end_ns, c.end_ns - c.start_ns AS duration_ns, c.bytes,
       p.value AS computation, c.trip, b.name AS bytes_evidence, e.name AS evidence, c.correlation, c.external, f.value AS source, t.value AS destination
FROM copy c LEFT JOIN string s ON s.id = c.name LEFT JOIN string p ON p.id = c.computation
     LEFT JOIN string f ON f.id = c.source LEFT JOIN string t ON t.id = c.destination
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
SELECT a.id, a.kind, a.thread, s.value AS name, a.start_ns, a.end_ns, a.end_ns - a.start_ns AS duration_ns, a.correlation, a.result, a.external
FROM api_call a JOIN string s ON s.id = a.name;

-- ranges: one row per named span with its name and domain.
CREATE VIEW ranges AS
SELECT r.id, r.kind, r.parent, r.thread, d.value AS domain, s.value AS name, r.start_ns, r.end_ns, r.end_ns - r.start_ns AS duration_ns,
       r.external, r.number, r.sequence, r.signature
FROM range r JOIN string s ON s.id = r.name LEFT JOIN string d ON d.id = r.domain;

-- ops: framework ops.
CREATE VIEW ops AS SELECT id, thread, name, start_ns, end_ns, duration_ns, external, number, sequence, signature FROM ranges WHERE kind = 'op';

-- annotations: spans that the program or its framework marked.
CREATE VIEW annotations AS SELECT id, thread, name, start_ns, end_ns, duration_ns FROM ranges WHERE kind = 'annotation';

-- python_frames: calls of Python functions.
CREATE VIEW python_frames AS SELECT id, thread, name, start_ns, end_ns, duration_ns FROM ranges WHERE kind = 'python';

-- steps: what PyTorch's profiler marks as steps, with their numbers.
CREATE VIEW steps AS
SELECT id, thread, name, CAST(substr(name, 14) AS INTEGER) AS number, start_ns, end_ns, duration_ns FROM ranges
WHERE kind IN ('annotation', 'op') AND name GLOB 'ProfilerStep#[0-9]*';

-- op_inputs: one row per input of each op.
CREATE VIEW op_inputs AS
SELECT r.id AS op, n.value AS op_name, i.place, t.value AS type, i.dims, i.strides, v.value AS value
FROM range r JOIN string n ON n.id = r.name JOIN signature_input i ON i.signature = r.signature
     LEFT JOIN string t ON t.id = i.type LEFT JOIN string v ON v.id = i.value WHERE r.kind = 'op';

-- launch_calls: each kernel launch with the API call that started it; no row where that call is not in the file.
CREATE VIEW launch_calls AS
SELECT l.id AS launch, min(a.id) AS api_call FROM launch l JOIN api_call a ON a.correlation = l.correlation LEFT JOIN thread t ON t.id = a.thread
WHERE l.process IS NULL OR l.process = t.process GROUP BY l.id;

-- copy_calls: the same for copies and fills.
CREATE VIEW copy_calls AS
SELECT c.id AS copy, min(a.id) AS api_call FROM copy c JOIN api_call a ON a.correlation = c.correlation LEFT JOIN thread t ON t.id = a.thread
WHERE c.process IS NULL OR c.process = t.process GROUP BY c.id;

-- device_work: everything that occupies a device, kernels, copies and fills, with their devices.
CREATE VIEW device_work AS
SELECT 'kernel' AS kind, l.id, l.name, s.device, s.number AS stream, l.start_ns, l.end_ns FROM launch l LEFT JOIN stream s ON s.id = l.stream
UNION ALL
SELECT CASE c.kind WHEN 'memset' THEN 'memset' ELSE 'memcpy' END, c.id, c.name, s.device, s.number, c.start_ns, c.end_ns FROM copy c LEFT JOIN stream s ON s.id = c.stream;

-- threads: host threads with their processes.
CREATE VIEW threads AS
SELECT t.id, p.label AS process, pn.value AS process_name, t.label AS thread, tn.value AS name
FROM thread t LEFT JOIN process p ON p.id = t.process LEFT JOIN string pn ON pn.id = p.name LEFT JOIN string tn ON tn.id = t.name;

-- streams: queues of work with their devices.
CREATE VIEW streams AS
SELECT s.id, d.id AS device, coalesce(d.product, d.name) AS device_name, s.context, s.number, n.value AS name
FROM stream s JOIN device d ON d.id = s.device LEFT JOIN string n ON n.id = s.name;

-- syncs, collectives, allocations, instants, counters, flows: their tables with names resolved.
CREATE VIEW syncs AS
SELECT y.id, y.kind, s.device, s.number AS stream, y.start_ns, y.end_ns, y.end_ns - y.start_ns AS duration_ns, y.correlation, y.wait_stream, y.wait_correlation, y.wait_event
FROM sync y LEFT JOIN stream s ON s.id = y.stream;
CREATE VIEW collectives AS
SELECT c.id, c.launch, c.range, n.value AS name, d.value AS dtype, c.elements_in, c.elements_out, g.value AS group_name, c.group_size, r.value AS ranks, c.sequence, c.node
FROM collective c LEFT JOIN string n ON n.id = c.name LEFT JOIN string d ON d.id = c.dtype LEFT JOIN string g ON g.id = c.group_name LEFT JOIN string r ON r.id = c.ranks;
CREATE VIEW allocations AS SELECT id, time_ns, thread, device, address, bytes, allocated, reserved FROM allocation;
CREATE VIEW instants AS
SELECT i.id, i.thread, c.value AS category, n.value AS name, i.time_ns FROM instant i JOIN string n ON n.id = i.name LEFT JOIN string c ON c.id = i.category;
CREATE VIEW counters AS
SELECT c.id, c.process, n.value AS name, s.value AS series, c.time_ns, c.value FROM counter c JOIN string n ON n.id = c.name LEFT JOIN string s ON s.id = c.series;
CREATE VIEW flows AS
SELECT f.number, c.value AS category, f.place, f.thread, f.time_ns FROM flow f LEFT JOIN string c ON c.id = f.category;

-- launch_counters: what hardware counted of each launch.
CREATE VIEW launch_counters AS
SELECT c.launch, l.sequence, k.value AS kernel, n.value AS counter, u.value AS unit, c.value, t.value AS text
FROM launch_counter c JOIN launch l ON l.id = c.launch JOIN string k ON k.id = l.name JOIN string n ON n.id = c.counter
     LEFT JOIN string u ON u.id = c.unit LEFT JOIN string t ON t.id = c.text;

-- nodes: execution traces with names resolved and the times of what they were joined with.
CREATE VIEW nodes AS
SELECT n.id, n.number, n.kind, s.value AS name, n.thread, n.range, n.launch, n.copy, n.parent, n.record, n.forward_parent, n.scope, r.start_ns, r.end_ns, n.duration_ns,
       o.value AS op_schema, b.value AS backend, f.value AS kernel_file, n.inputs, n.outputs
FROM node n JOIN string s ON s.id = n.name LEFT JOIN range r ON r.id = n.range LEFT JOIN string o ON o.id = n.op_schema
     LEFT JOIN string b ON b.id = n.backend LEFT JOIN string f ON f.id = n.kernel_file;

-- op_tensors: the tensors that each op read and gave, with their types and shapes (those of a list as the list has them).
CREATE VIEW op_tensors AS
SELECT n.range AS op, n.id AS node, s.value AS op_name, t.side, t.place, t.item, t.tensor, t.storage, t.offset, t.elements, t.item_bytes, d.value AS device,
       y.value AS type, i.dims, i.strides
FROM node_tensor t JOIN node n ON n.id = t.node JOIN string s ON s.id = n.name LEFT JOIN string d ON d.id = t.device
     LEFT JOIN signature_input i ON i.signature = CASE t.side WHEN 'input' THEN n.inputs ELSE n.outputs END AND i.place = t.place
     LEFT JOIN string y ON y.id = i.type;
