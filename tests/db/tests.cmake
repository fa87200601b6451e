seam_test(db LINKS SQLite::SQLite3)
target_include_directories(db_test PRIVATE ${CMAKE_SOURCE_DIR}/db)  # migrate.h: migrations are tested before there is one
target_compile_definitions(db_test PRIVATE SEAM_DOCS="${CMAKE_SOURCE_DIR}/docs")
