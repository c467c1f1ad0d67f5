# The particle solver: a generated file per model (the lines of src/particles/pair_list.h, and mps) and
# precision, one for the store in each type of positions, host code in C. Included by CMakeLists.txt
# after the target torre_cuda exists.
file(READ ${PROJECT_SOURCE_DIR}/src/particles/pair_list.h md_pair_list)
# not line by line: the backslash that ends a line would join it to the next one in a list of CMake
string(REGEX MATCHALL "MODEL\\([a-z0-9_]+\\)" md_model_lines "${md_pair_list}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                       ${PROJECT_SOURCE_DIR}/src/particles/pair_list.h)
# No division or square root by Newton's method and no subnormals in f32: one reciprocal per pair,
# 1 ulp off.
set(md_cuda_flags -ftz=true -prec-div=false -prec-sqrt=false)
list(TRANSFORM md_model_lines REPLACE "MODEL\\(([a-z0-9_]+)\\)" "\\1" OUTPUT_VARIABLE md_models)
set(md_declarations)
set(md_rows)
set(md_states)
# positions, velocities and sums; a pair
set(md_types_f32 float float)
set(md_types_f64 double double)
set(md_types_mixed double float)
# TEMPLATE -> FILE.cu
macro(torre_md_kernels TEMPLATE FILE)
  configure_file(particles/${TEMPLATE} ${CMAKE_CURRENT_BINARY_DIR}/${FILE}.cu @ONLY)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${FILE}.cu PROPERTIES COMPILE_OPTIONS
                                                                              "${md_cuda_flags}")
  target_sources(torre_cuda PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${FILE}.cu)
endmacro()
foreach(MODEL ${md_models} mps) # in the order of torre_pair_model
  foreach(TYPES "" _types) # particles of one type, of several
    set(row)
    foreach(PRECISION f32 f64 mixed)
      # of grains the second kind are rough ones; fluids have one type
      if(NOT PRECISION IN_LIST TORRE_PRECISIONS OR (TYPES AND MODEL STREQUAL "mps"))
        list(APPEND row "NULL")
        continue()
      endif()
      list(GET md_types_${PRECISION} 0 STATE)
      list(GET md_types_${PRECISION} 1 PAIR)
      list(APPEND md_states ${STATE})
      set(TYPES_LINE)
      if(TYPES)
        set(TYPES_LINE "#define TORRE_PAIR_TYPES\n")
      endif()
      if(MODEL STREQUAL "mps")
        torre_md_kernels(mps.cu.in mps_${PRECISION})
      elseif(TYPES AND MODEL STREQUAL "granular")
        torre_md_kernels(md_rough.cu.in md_rough_${PRECISION})
      else()
        torre_md_kernels(md_pair.cu.in md_${MODEL}${TYPES}_${PRECISION})
      endif()
      string(APPEND md_declarations "extern const md_kernels md_kernels_${MODEL}${TYPES}_${PRECISION};\n")
      list(APPEND row "&md_kernels_${MODEL}${TYPES}_${PRECISION}")
    endforeach()
    list(JOIN row ", " row)
    if(TYPES)
      string(APPEND md_rows "{${row}}},\n")
    else()
      string(APPEND md_rows "    {{${row}}, ")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES md_states)
foreach(STATE ${md_states})
  torre_md_kernels(md_state.cu.in md_state_${STATE})
endforeach()
configure_file(particles/md_table.c.in ${CMAKE_CURRENT_BINARY_DIR}/md_table.c @ONLY)
target_sources(torre_cuda PRIVATE particles/md_scan.cu particles/mps_row.cu particles/mps_within.cu particles/md_layout.c particles/md_cuda.c
                                  particles/md_cuda_memory.c particles/md_cuda_state.c particles/md_cuda_store.c particles/md_share.c particles/md_contacts.c particles/md_deliver.c
                                  particles/cuda_pairs.c particles/cuda_mps.c
                                  ${CMAKE_CURRENT_BINARY_DIR}/md_table.c)
