
8/host:metadata