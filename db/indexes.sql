-- Built once all rows are in: an index that sorts afterwards is cheaper than one that grows.
CREATE INDEX launch_sequence ON launch (sequence);
CREATE INDEX launch_start ON launch (start_ns) WHERE start_ns IS NOT NULL;
CREATE INDEX launch_kernel ON launch (kernel);
CREATE INDEX copy_sequence ON copy (sequence);
CREATE INDEX copy_start ON copy (start_ns) WHERE start_ns IS NOT NULL;
CREATE INDEX api_call_correlation ON api_call (correlation, start_ns, thread) WHERE correlation IS NOT NULL;
CREATE INDEX range_external ON range (external) WHERE external IS NOT NULL;
CREATE INDEX range_start ON range (start_ns) WHERE start_ns IS NOT NULL;
CREATE INDEX node_number ON node (number);
CREATE INDEX node_range ON node (range) WHERE range IS NOT NULL;
CREATE INDEX node_tensor_storage ON node_tensor (storage, node);
CREATE INDEX launch_correlation ON launch (correlation) WHERE correlation IS NOT NULL;
CREATE INDEX copy_correlation ON copy (correlation) WHERE correlation IS NOT NULL;
CREATE INDEX api_call_thread ON api_call (thread, start_ns) WHERE start_ns IS NOT NULL;
CREATE INDEX range_op ON range (thread, start_ns) WHERE kind = 'op';
