# The particle solver: one generated file per pair model (the lines of src/particles/pair_list.h) and
# precision, host code in C. Included by CMakeLists.txt after the target torre_cuda exists.
file(READ ${PROJECT_SOURCE_DIR}/src/particles/pair_list.h md_pair_list)
# not line by line: the backslash that ends a line would join it to the next one in a list of CMake
string(REGEX MATCHALL "MODEL\\([a-z0-9_]+\\)" md_model_lines "${md_pair_list}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                       ${PROJECT_SOURCE_DIR}/src/particles/pair_list.h)
# No division or square root by Newton's method and no subnormals in f32: one reciprocal per pair,
# 1 ulp off.
set(md_cuda_flags -ftz=true -prec-div=false -prec-sqrt=false)
set(md_declarations)
set(md_rows)
foreach(line ${md_model_lines})
  string(REGEX REPLACE " *MODEL\\(([a-z0-9_]+)\\).*" "\\1" MODEL ${line})
  set(row)
  foreach(PRECISION f32 f64 mixed)
    if(PRECISION IN_LIST TORRE_PRECISIONS)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/md_${MODEL}_${PRECISION}.cu)
      configure_file(particles/md_instance.cu.in ${file} @ONLY)
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${md_cuda_flags}")
      target_sources(torre_cuda PRIVATE ${file})
      string(APPEND md_declarations "extern const md_kernels md_kernels_${MODEL}_${PRECISION};\n")
      list(APPEND row "&md_kernels_${MODEL}_${PRECISION}")
    else()
      list(APPEND row "NULL")
    endif()
  endforeach()
  list(JOIN row ", " row)
  string(APPEND md_rows "    {${row}},\n")
endforeach()
configure_file(particles/md_table.c.in ${CMAKE_CURRENT_BINARY_DIR}/md_table.c @ONLY)
target_sources(torre_cuda PRIVATE particles/md_scan.cu particles/md_layout.c particles/md_cuda.c
                                  particles/md_cuda_run.c particles/md_cuda_tables.c
                                  particles/mps_cuda.c particles/mps_sweeps.cu
                                  ${CMAKE_CURRENT_BINARY_DIR}/md_table.c)
set_source_files_properties(particles/mps_sweeps.cu PROPERTIES COMPILE_OPTIONS "${md_cuda_flags}")
