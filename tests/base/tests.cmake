seam_test(base)
seam_fuzz(npy base)
seam_fuzz(replacement base)
