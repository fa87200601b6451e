seam_test(base)
