# One source for several instruction sets: the library chooses among them at run time (core/cpu.h).
set(TORRE_ISAS base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND TORRE_ISAS avx2 avx512)
endif()
set(TORRE_ISA_FLAGS_base)
set(TORRE_ISA_FLAGS_avx2 -march=x86-64-v3)
set(TORRE_ISA_FLAGS_avx512 -march=x86-64-v4)

# torre_isa_sources(FILE STEM [ISAS ISA...] [OPTIONS OPTION...] [OPTIONS_avx512 OPTION...])
#   Make STEM_<isa>.c for each of TORRE_ISAS (or of ISAS) and compile it into torre with the flags of
#   its instruction set and OPTIONS. FILE is a C source, which is included after
#       #define TORRE_ISA <isa>
#   or a template (.in), in which @isa@ and the variables of the caller are replaced.
function(torre_isa_sources file stem)
  cmake_parse_arguments(arg "" "" "ISAS;OPTIONS;OPTIONS_avx512" ${ARGN})
  if(NOT arg_ISAS)
    set(arg_ISAS ${TORRE_ISAS})
  endif()
  foreach(isa IN LISTS arg_ISAS)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${isa}.c)
    if(file MATCHES "\\.in$")
      configure_file(${file} ${made} @ONLY)
    else()
      file(CONFIGURE OUTPUT ${made} CONTENT
           "#define TORRE_ISA @isa@\n#include \"@CMAKE_CURRENT_SOURCE_DIR@/@file@\"\n" @ONLY)
    endif()
    set_source_files_properties(${made} TARGET_DIRECTORY torre PROPERTIES COMPILE_OPTIONS
                                "${TORRE_ISA_FLAGS_${isa}};${arg_OPTIONS};${arg_OPTIONS_${isa}}")
    target_sources(torre PRIVATE ${made})
  endforeach()
endfunction()
