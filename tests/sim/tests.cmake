seam_test(sim LINKS ${CMAKE_DL_LIBS})
