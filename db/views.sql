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

-- syncs: waiting of the host or of a stream, with devices.
CREATE VIEW syncs AS
SELECT y.id, y.kind, s.device, s.number AS stream, y.start_ns, y.end_ns, y.end_ns - y.start_ns AS duration_ns, y.correlation, y.wait_stream, y.wait_correlation, y.wait_event
FROM sync y LEFT JOIN stream s ON s.id = y.stream;

-- collectives: what communication kernels and ops say of their collectives. elements of both sides, ranks as a JSON list.
CREATE VIEW collectives AS
SELECT c.id, c.launch, c.range, n.value AS name, d.value AS dtype, c.elements_in, c.elements_out, g.value AS group_name, c.group_size, r.value AS ranks, c.sequence, c.node
FROM collective c LEFT JOIN string n ON n.id = c.name LEFT JOIN string d ON d.id = c.dtype LEFT JOIN string g ON g.id = c.group_name LEFT JOIN string r ON r.id = c.ranks;

-- allocations: changes of what is allocated, in bytes (negative: freed).
CREATE VIEW allocations AS SELECT id, time_ns, thread, device, address, bytes, allocated, reserved FROM allocation;

-- instants: moments with names.
CREATE VIEW instants AS
SELECT i.id, i.thread, c.value AS category, n.value AS name, i.time_ns FROM instant i JOIN string n ON n.id = i.name LEFT JOIN string c ON c.id = i.category;

-- counters: values of curves over time.
CREATE VIEW counters AS
SELECT c.id, c.process, n.value AS name, s.value AS series, c.time_ns, c.value FROM counter c JOIN string n ON n.id = c.name LEFT JOIN string s ON s.id = c.series;

-- flows: ends of arrows between spans.
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

-- Summaries. Sums, means and extremes are over rows with a recorded time (timed); NULL where there is none.

-- kernel_summary: one row per kernel name: how often it ran, for how long, and its share of all kernels' time in percent.
CREATE VIEW kernel_summary AS
SELECT s.value AS name, count(*) AS launches, count(l.end_ns - l.start_ns) AS timed, sum(l.end_ns - l.start_ns) AS total_ns, avg(l.end_ns - l.start_ns) AS mean_ns,
       min(l.end_ns - l.start_ns) AS least_ns, max(l.end_ns - l.start_ns) AS most_ns, 100.0 * sum(l.end_ns - l.start_ns) / sum(sum(l.end_ns - l.start_ns)) OVER () AS percent
FROM launch l JOIN string s ON s.id = l.name GROUP BY l.name;

-- kernel_config_summary: the same per name, grid (blocks) and block (threads).
CREATE VIEW kernel_config_summary AS
SELECT s.value AS name, l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, count(*) AS launches, count(l.end_ns - l.start_ns) AS timed, sum(l.end_ns - l.start_ns) AS total_ns,
       avg(l.end_ns - l.start_ns) AS mean_ns, min(l.end_ns - l.start_ns) AS least_ns, max(l.end_ns - l.start_ns) AS most_ns
FROM launch l JOIN string s ON s.id = l.name GROUP BY l.name, l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z;

-- kernel_stream_summary: the same per name, device and stream.
CREATE VIEW kernel_stream_summary AS
SELECT t.device, t.number AS stream, s.value AS name, count(*) AS launches, count(l.end_ns - l.start_ns) AS timed, sum(l.end_ns - l.start_ns) AS total_ns
FROM launch l JOIN string s ON s.id = l.name LEFT JOIN stream t ON t.id = l.stream GROUP BY l.stream, l.name;

-- launch_shapes: one row per launch with what its shape says: threads per block, blocks, blocks per multiprocessor (NULL: the device's count is unknown), and whether a block ends within a warp of 32.
CREATE VIEW launch_shapes AS
SELECT l.id AS launch, s.value AS name, l.block_x * l.block_y * l.block_z AS threads_per_block, l.grid_x * l.grid_y * l.grid_z AS blocks, 1.0 * l.grid_x * l.grid_y * l.grid_z / d.sms AS blocks_per_sm,
       (l.block_x * l.block_y * l.block_z) % 32 <> 0 AS partial_warp, k.registers, l.static_shared, l.dynamic_shared, l.end_ns - l.start_ns AS duration_ns
FROM launch l JOIN string s ON s.id = l.name LEFT JOIN kernel k ON k.id = l.kernel LEFT JOIN stream t ON t.id = l.stream LEFT JOIN device d ON d.id = t.device;

-- small_grids: kernel names that leave multiprocessors without a block, by time. blocks_per_sm below 1.
CREATE VIEW small_grids AS
SELECT name, count(*) AS launches, min(blocks_per_sm) AS least_blocks_per_sm, max(blocks_per_sm) AS most_blocks_per_sm, sum(duration_ns) AS total_ns FROM launch_shapes WHERE blocks_per_sm < 1 GROUP BY name;

-- memory_time_summary: one row per kind of copy or fill: how often and for how long.
CREATE VIEW memory_time_summary AS
SELECT kind, count(*) AS operations, count(end_ns - start_ns) AS timed, sum(end_ns - start_ns) AS total_ns, avg(end_ns - start_ns) AS mean_ns, min(end_ns - start_ns) AS least_ns, max(end_ns - start_ns) AS most_ns FROM copy GROUP BY kind;

-- memory_size_summary: the same by bytes; sized: operations whose bytes are known, which the sums are over.
CREATE VIEW memory_size_summary AS
SELECT kind, count(*) AS operations, count(bytes) AS sized, sum(bytes) AS total_bytes, avg(bytes) AS mean_bytes, min(bytes) AS least_bytes, max(bytes) AS most_bytes FROM copy GROUP BY kind;

-- copy_bandwidths: one row per copy or fill: bytes per second, NULL where bytes or time are unknown or the time is 0.
CREATE VIEW copy_bandwidths AS
SELECT c.id AS copy, c.kind, f.value AS source, t.value AS destination, c.bytes, c.end_ns - c.start_ns AS duration_ns, 1e9 * c.bytes / nullif(c.end_ns - c.start_ns, 0) AS bytes_per_s
FROM copy c LEFT JOIN string f ON f.id = c.source LEFT JOIN string t ON t.id = c.destination;

-- copy_bandwidth_summary: one row per kind, source and destination: bytes over time of the copies that have both.
CREATE VIEW copy_bandwidth_summary AS
SELECT kind, source, destination, count(*) AS operations, sum(bytes) AS total_bytes, sum(duration_ns) AS total_ns, 1e9 * sum(bytes) / sum(duration_ns) AS bytes_per_s
FROM copy_bandwidths WHERE bytes_per_s IS NOT NULL GROUP BY kind, source, destination;

-- api_summary: one row per API call name: how often, for how long, and how often it failed (results are unknown to most sources: NULL).
CREATE VIEW api_summary AS
SELECT a.kind, s.value AS name, count(*) AS calls, count(a.end_ns - a.start_ns) AS timed, sum(a.end_ns - a.start_ns) AS total_ns, avg(a.end_ns - a.start_ns) AS mean_ns, min(a.end_ns - a.start_ns) AS least_ns, max(a.end_ns - a.start_ns) AS most_ns,
       CASE WHEN count(a.result) > 0 THEN sum(a.result <> 0) END AS failed
FROM api_call a JOIN string s ON s.id = a.name GROUP BY a.kind, a.name;

-- range_summary: one row per kind and name of span: occurrences and time on the host (of annotations on a stream: there).
CREATE VIEW range_summary AS
SELECT r.kind, s.value AS name, count(*) AS occurrences, count(r.end_ns - r.start_ns) AS timed, sum(r.end_ns - r.start_ns) AS total_ns, avg(r.end_ns - r.start_ns) AS mean_ns, min(r.end_ns - r.start_ns) AS least_ns, max(r.end_ns - r.start_ns) AS most_ns
FROM range r JOIN string s ON s.id = r.name GROUP BY r.kind, r.name;

-- python_totals: one row per Python function: calls, and time with everything it called.
CREATE VIEW python_totals AS SELECT name, occurrences AS calls, timed, total_ns, mean_ns, most_ns FROM range_summary WHERE kind = 'python';

-- op_shapes: one row per op name and what it was called with: types and shapes as a JSON list, in order of inputs.
CREATE VIEW op_shapes AS
SELECT n.value AS op_name, r.signature, count(*) AS calls, sum(r.end_ns - r.start_ns) AS total_ns,
       (SELECT json_group_array(json_array(t.value, i.dims)) FROM signature_input i LEFT JOIN string t ON t.id = i.type WHERE i.signature = r.signature) AS inputs
FROM range r JOIN string n ON n.id = r.name WHERE r.kind = 'op' AND r.signature IS NOT NULL GROUP BY r.name, r.signature;

-- work_calls: all work on devices with the API call that started it: launches and copies; no row where that call is not in the file.
CREATE VIEW work_calls AS
SELECT 'launch' AS work, launch AS id, api_call FROM launch_calls UNION ALL SELECT 'copy', copy, api_call FROM copy_calls;

-- launch_latencies: each kernel with its launch: time in the call, from its end to the kernel's start (below 0: it started before), and of the kernel.
CREATE VIEW launch_latencies AS
SELECT l.id AS launch, n.value AS name, a.id AS api_call, c.value AS api_name, a.thread, l.stream, a.start_ns AS call_start_ns, a.end_ns - a.start_ns AS call_ns, l.start_ns - a.end_ns AS delay_ns, l.end_ns - l.start_ns AS duration_ns
FROM launch_calls b CROSS JOIN launch l ON l.id = b.launch CROSS JOIN api_call a ON a.id = b.api_call JOIN string n ON n.id = l.name JOIN string c ON c.id = a.name;

-- launch_latency_summary: the same summed per kernel name and API call name (Nsight Systems' kernel launch & exec time).
CREATE VIEW launch_latency_summary AS
SELECT name, api_name, count(*) AS launches, sum(call_ns) AS call_ns, sum(max(delay_ns, 0)) AS delay_ns, sum(duration_ns) AS total_ns FROM launch_latencies GROUP BY name, api_name;

-- short_kernels: kernels that take less time than the call that launched them, by name.
CREATE VIEW short_kernels AS
SELECT name, count(*) AS launches, sum(duration_ns) AS total_ns, sum(call_ns) AS call_ns FROM launch_latencies WHERE duration_ns < call_ns GROUP BY name;

-- launch_ops: each kernel with the innermost op that its launching call stands in, by time on the thread; looked for among the 256 ops that began last before the call.
CREATE VIEW launch_ops AS
SELECT b.launch, (SELECT o.id FROM (SELECT r.id, r.end_ns FROM range r WHERE r.kind = 'op' AND r.thread = a.thread AND r.start_ns <= a.start_ns ORDER BY r.start_ns DESC, r.id DESC LIMIT 256) o
                  WHERE o.end_ns >= a.end_ns LIMIT 1) AS op
FROM launch_calls b CROSS JOIN api_call a ON a.id = b.api_call;

-- op_launches: kernels that ops launched, with both names; no row where the call stands in no op.
CREATE VIEW op_launches AS
SELECT r.id AS op, n.value AS op_name, r.signature, l.id AS launch, s.value AS name, l.start_ns, l.end_ns, l.end_ns - l.start_ns AS duration_ns
FROM launch_ops o CROSS JOIN range r ON r.id = o.op CROSS JOIN launch l ON l.id = o.launch JOIN string n ON n.id = r.name JOIN string s ON s.id = l.name;

-- op_device_time: one row per op name: the kernels that it launched itself and their time, and its share of all kernels' time in percent.
CREATE VIEW op_device_time AS
SELECT op_name, count(DISTINCT op) AS ops, count(*) AS launches, sum(duration_ns) AS device_ns, 100.0 * sum(duration_ns) / (SELECT sum(end_ns - start_ns) FROM launch) AS percent FROM op_launches GROUP BY op_name;

-- op_shape_device_time: the same per op name and shapes.
CREATE VIEW op_shape_device_time AS
SELECT o.op_name, o.signature, count(DISTINCT o.op) AS ops, count(*) AS launches, sum(o.duration_ns) AS device_ns,
       (SELECT json_group_array(json_array(t.value, i.dims)) FROM signature_input i LEFT JOIN string t ON t.id = i.type WHERE i.signature = o.signature) AS inputs
FROM op_launches o GROUP BY o.op_name, o.signature;

-- range_work: annotations of host threads with the work that calls inside them started.
CREATE VIEW range_work AS
SELECT r.id AS range, n.value AS range_name, r.kind, a.id AS api_call, 'launch' AS work, l.id, l.start_ns, l.end_ns
FROM range r CROSS JOIN api_call a ON a.thread = r.thread AND a.start_ns BETWEEN r.start_ns AND r.end_ns CROSS JOIN launch l ON l.correlation = a.correlation AND (l.process IS NULL OR l.process = (SELECT process FROM thread WHERE id = a.thread)) JOIN string n ON n.id = r.name
WHERE r.kind = 'annotation'
UNION ALL
SELECT r.id, n.value, r.kind, a.id, 'copy', c.id, c.start_ns, c.end_ns
FROM range r CROSS JOIN api_call a ON a.thread = r.thread AND a.start_ns BETWEEN r.start_ns AND r.end_ns CROSS JOIN copy c ON c.correlation = a.correlation AND (c.process IS NULL OR c.process = (SELECT process FROM thread WHERE id = a.thread)) JOIN string n ON n.id = r.name
WHERE r.kind = 'annotation';

-- range_projection: each annotation beside what it looks like on devices: work that calls inside it started, from its first start to its last end (Nsight Systems' NVTX GPU projection).
CREATE VIEW range_projection AS
SELECT w.range, w.range_name AS name, r.start_ns, r.end_ns - r.start_ns AS host_ns, min(w.start_ns) AS device_start_ns, max(w.end_ns) - min(w.start_ns) AS projected_ns, count(*) AS work, sum(w.end_ns - w.start_ns) AS device_ns
FROM range_work w JOIN range r ON r.id = w.range GROUP BY w.range;

-- range_projection_summary: the same summed per name.
CREATE VIEW range_projection_summary AS
SELECT name, count(*) AS occurrences, sum(host_ns) AS host_ns, sum(projected_ns) AS projected_ns, sum(work) AS work, sum(device_ns) AS device_ns FROM range_projection GROUP BY name;

-- step_summary: one row per marked step: kernels that start in it, their time, and copies and fills, their time.
CREATE VIEW step_summary AS
SELECT t.id, t.number, t.start_ns, t.duration_ns, (SELECT count(*) FROM launch l WHERE l.start_ns >= t.start_ns AND l.start_ns < t.end_ns) AS launches,
       (SELECT sum(l.end_ns - l.start_ns) FROM launch l WHERE l.start_ns >= t.start_ns AND l.start_ns < t.end_ns) AS kernel_ns,
       (SELECT count(*) FROM copy c WHERE c.start_ns >= t.start_ns AND c.start_ns < t.end_ns) AS copies, (SELECT sum(c.end_ns - c.start_ns) FROM copy c WHERE c.start_ns >= t.start_ns AND c.start_ns < t.end_ns) AS copy_ns
FROM steps t;

-- work_busy: all work with a time, and until when its device and its stream were busy with earlier work (NULL: it is the first).
CREATE VIEW work_busy AS
SELECT kind, id, name, device, stream, start_ns, end_ns,
       max(end_ns) OVER (PARTITION BY device ORDER BY start_ns, end_ns, kind, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS device_busy_until_ns,
       max(end_ns) OVER (PARTITION BY device, stream ORDER BY start_ns, end_ns, kind, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS stream_busy_until_ns
FROM device_work WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL;

-- device_busy: one row per device: from its first work to its last, how much of that it was busy, and idle. All streams together.
CREATE VIEW device_busy AS
SELECT device, count(*) AS work, max(end_ns) - min(start_ns) AS span_ns, sum(max(0, end_ns - max(start_ns, coalesce(device_busy_until_ns, start_ns)))) AS busy_ns,
       max(end_ns) - min(start_ns) - sum(max(0, end_ns - max(start_ns, coalesce(device_busy_until_ns, start_ns)))) AS idle_ns
FROM work_busy GROUP BY device;

-- stream_busy: the same per stream.
CREATE VIEW stream_busy AS
SELECT device, stream, count(*) AS work, max(end_ns) - min(start_ns) AS span_ns, sum(max(0, end_ns - max(start_ns, coalesce(stream_busy_until_ns, start_ns)))) AS busy_ns,
       max(end_ns) - min(start_ns) - sum(max(0, end_ns - max(start_ns, coalesce(stream_busy_until_ns, start_ns)))) AS idle_ns
FROM work_busy GROUP BY device, stream;

-- device_gaps: times in which a device has nothing to do, and the work that ends each.
CREATE VIEW device_gaps AS
SELECT w.device, w.device_busy_until_ns AS start_ns, w.start_ns AS end_ns, w.start_ns - w.device_busy_until_ns AS duration_ns, w.kind, w.id, s.value AS name
FROM work_busy w LEFT JOIN string s ON s.id = w.name WHERE w.start_ns > w.device_busy_until_ns;

-- stream_gaps: the same per stream.
CREATE VIEW stream_gaps AS
SELECT w.device, w.stream, w.stream_busy_until_ns AS start_ns, w.start_ns AS end_ns, w.start_ns - w.stream_busy_until_ns AS duration_ns, w.kind, w.id, s.value AS name
FROM work_busy w LEFT JOIN string s ON s.id = w.name WHERE w.start_ns > w.stream_busy_until_ns;

-- queue_depth: kernels launched and not yet started, per stream, after each change.
CREATE VIEW queue_depth AS
SELECT stream, time_ns, sum(step) OVER (PARTITION BY stream ORDER BY time_ns, step DESC, launch ROWS UNBOUNDED PRECEDING) AS depth FROM (
  SELECT stream, launch, call_start_ns AS time_ns, 1 AS step FROM launch_latencies WHERE delay_ns IS NOT NULL
  UNION ALL SELECT stream, launch, call_start_ns + call_ns + delay_ns, -1 FROM launch_latencies WHERE delay_ns IS NOT NULL);

-- queue_depth_summary: one row per stream: changes, and the deepest that it was.
CREATE VIEW queue_depth_summary AS SELECT stream, count(*) AS changes, max(depth) AS deepest FROM queue_depth GROUP BY stream;

-- collective_launches: kernels that communicate, told by their names (nccl, rccl, multimem, all-reduce and its like of frameworks), with what they say of their collective.
CREATE VIEW collective_launches AS
SELECT l.id AS launch, s.value AS name, t.device, l.start_ns, l.end_ns, l.end_ns - l.start_ns AS duration_ns, n.value AS collective, d.value AS dtype, c.elements_in, c.elements_out, g.value AS group_name, c.group_size, c.sequence
FROM launch l JOIN string s ON s.id = l.name LEFT JOIN stream t ON t.id = l.stream LEFT JOIN collective c ON c.launch = l.id LEFT JOIN string n ON n.id = c.name LEFT JOIN string d ON d.id = c.dtype LEFT JOIN string g ON g.id = c.group_name
WHERE l.name IN (SELECT id FROM string WHERE lower(value) GLOB 'nccl*' OR lower(value) GLOB '*ncclkernel*' OR lower(value) GLOB '*nccldevkernel*' OR lower(value) GLOB '*ncclsymk*' OR lower(value) GLOB '*rccl*' OR lower(value) GLOB '*msccl*'
  OR lower(value) GLOB '*nvshmem*' OR lower(value) GLOB '*multimem_*' OR lower(value) GLOB '*all_reduce*' OR lower(value) GLOB '*allreduce*' OR lower(value) GLOB '*all_gather*' OR lower(value) GLOB '*reduce_scatter*'
  OR lower(value) GLOB '*cross_device_reduce*' OR lower(value) GLOB '*deep_ep*' OR lower(value) GLOB '*hccl*');

-- collective_summary: the same per name, collective and type.
CREATE VIEW collective_summary AS
SELECT name, collective, dtype, group_name, count(*) AS launches, sum(elements_in) AS elements_in, sum(elements_out) AS elements_out, sum(duration_ns) AS total_ns, min(duration_ns) AS least_ns, max(duration_ns) AS most_ns
FROM collective_launches GROUP BY name, collective, dtype, group_name;

-- communication_overlap: one row per device with communication: the time in which any communication kernel runs, how much of it another kernel runs too (hidden), and the rest (exposed).
CREATE VIEW communication_overlap AS
SELECT device, sum(CASE WHEN communicating > 0 THEN ns ELSE 0 END) AS communication_ns, sum(CASE WHEN communicating > 0 AND computing > 0 THEN ns ELSE 0 END) AS hidden_ns, sum(CASE WHEN communicating > 0 AND computing = 0 THEN ns ELSE 0 END) AS exposed_ns
FROM (SELECT device, sum(communication) OVER w AS communicating, sum(computation) OVER w AS computing, lead(time_ns) OVER w - time_ns AS ns FROM (
        SELECT t.device, l.start_ns AS time_ns, l.id IN (SELECT launch FROM collective_launches) AS communication, l.id NOT IN (SELECT launch FROM collective_launches) AS computation
        FROM launch l LEFT JOIN stream t ON t.id = l.stream WHERE l.start_ns IS NOT NULL AND l.end_ns IS NOT NULL
        UNION ALL SELECT t.device, l.end_ns, -(l.id IN (SELECT launch FROM collective_launches)), -(l.id NOT IN (SELECT launch FROM collective_launches))
        FROM launch l LEFT JOIN stream t ON t.id = l.stream WHERE l.start_ns IS NOT NULL AND l.end_ns IS NOT NULL)
      WINDOW w AS (PARTITION BY device ORDER BY time_ns ROWS UNBOUNDED PRECEDING))
GROUP BY device HAVING communication_ns > 0;

-- sync_summary: one row per kind of waiting that the source records as such.
CREATE VIEW sync_summary AS SELECT kind, count(*) AS waits, sum(end_ns - start_ns) AS total_ns, max(end_ns - start_ns) AS most_ns FROM sync GROUP BY kind;

-- waiting_calls: one row per name of API call in which the host waits for a device.
CREATE VIEW waiting_calls AS SELECT name, calls, total_ns, mean_ns, most_ns FROM api_summary WHERE name GLOB '*Synchronize*' OR name IN ('cudaMemcpy', 'hipMemcpy', 'hipMemcpyWithStream') OR name GLOB '*EventQuery*' OR name GLOB '*StreamQuery*';

-- allocation_calls: one row per name of API call that allocates or frees.
CREATE VIEW allocation_calls AS SELECT name, calls, total_ns, mean_ns, most_ns FROM api_summary WHERE name GLOB '*Malloc*' OR name GLOB '*Free*' OR name GLOB '*HostAlloc*' OR name GLOB '*MemAlloc*' OR name GLOB '*HostRegister*' OR name GLOB '*HostUnregister*';

-- memory_timeline: what is allocated after each change, in bytes, per device (NULL: host), and the most until then.
CREATE VIEW memory_timeline AS
SELECT id, time_ns, device, bytes, allocated, reserved, max(allocated) OVER (PARTITION BY device ORDER BY time_ns, id ROWS UNBOUNDED PRECEDING) AS peak FROM allocation;

-- memory_peaks: one row per device: changes, bytes allocated in all, and the most that was allocated and reserved at a time.
CREATE VIEW memory_peaks AS SELECT device, count(*) AS changes, sum(CASE WHEN bytes > 0 THEN bytes END) AS allocated_bytes, max(allocated) AS peak_allocated, max(reserved) AS peak_reserved FROM allocation GROUP BY device;

-- graph_launches: API calls that started several pieces of work at once (CUDA graphs): how many kernels and copies, and their time.
CREATE VIEW graph_launches AS
SELECT w.api_call, s.value AS name, a.start_ns, a.end_ns - a.start_ns AS call_ns, sum(w.work = 'launch') AS kernels, sum(w.work = 'copy') AS copies, sum(coalesce(l.end_ns - l.start_ns, c.end_ns - c.start_ns)) AS device_ns
FROM work_calls w CROSS JOIN api_call a ON a.id = w.api_call JOIN string s ON s.id = a.name LEFT JOIN launch l ON w.work = 'launch' AND l.id = w.id LEFT JOIN copy c ON w.work = 'copy' AND c.id = w.id
GROUP BY w.api_call HAVING count(*) > 1;

-- graph_nodes: one row per node of a graph that the source numbers: how often it ran and for how long.
CREATE VIEW graph_nodes AS
SELECT l.graph, l.graph_node, s.value AS name, count(*) AS launches, sum(l.end_ns - l.start_ns) AS total_ns FROM launch l JOIN string s ON s.id = l.name WHERE l.graph_node IS NOT NULL AND l.graph_node <> 0 GROUP BY l.graph, l.graph_node, l.name;

-- thread_summary: one row per host thread: its API calls and spans, and the time in calls.
CREATE VIEW thread_summary AS
SELECT t.id AS thread, p.label AS process, t.label, n.value AS name, coalesce(a.calls, 0) AS calls, a.call_ns, coalesce(r.ranges, 0) AS ranges
FROM thread t LEFT JOIN process p ON p.id = t.process LEFT JOIN string n ON n.id = t.name
     LEFT JOIN (SELECT thread, count(*) AS calls, sum(end_ns - start_ns) AS call_ns FROM api_call GROUP BY thread) a ON a.thread = t.id
     LEFT JOIN (SELECT thread, count(*) AS ranges FROM range GROUP BY thread) r ON r.thread = t.id;

-- problems: what is missing from the file and what a reader should know, in one list. count is NULL where nobody knows it, and for warnings.
CREATE VIEW problems AS SELECT 'loss' AS kind, reason AS code, count, detail AS message FROM loss UNION ALL SELECT 'warning', code, NULL, message FROM warning;

-- evidence_summary: where the times and bytes of launches and copies come from, with how many rows each.
CREATE VIEW evidence_summary AS
SELECT 'launch' AS "table", e.name AS evidence, b.name AS bytes_evidence, count(*) AS rows FROM launch l JOIN evidence e ON e.id = l.evidence JOIN evidence b ON b.id = l.bytes_evidence GROUP BY l.evidence, l.bytes_evidence
UNION ALL SELECT 'copy', e.name, b.name, count(*) FROM copy c JOIN evidence e ON e.id = c.evidence JOIN evidence b ON b.id = c.bytes_evidence GROUP BY c.evidence, c.bytes_evidence;
