seam_test(codegen USES planner sim graph base)
