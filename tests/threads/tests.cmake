# On several threads: what the thread sanitizer looks at (scripts/sanitize tsan).
seam_test(threads OF sim)
