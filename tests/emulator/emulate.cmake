# The CUDA backend for the host: instead of every .cu of torre_cuda a C++ source made of it (rewrite.py), and the
# stand-in for the CUDA runtime (tests/fake_cuda), which runs their kernels with the emulator. Included by
# cuda/CMakeLists.txt at its end.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(emulator ${PROJECT_SOURCE_DIR}/tests/emulator)
set(made ${CMAKE_CURRENT_BINARY_DIR}/emulated)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cuda/*.h ${PROJECT_SOURCE_DIR}/cuda/*.cuh)

get_target_property(sources torre_cuda SOURCES)
set(device)
set(host)
set(cpp)
foreach(source ${sources})
  if(source MATCHES "[.]cu$")
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME_WE)
    list(APPEND device ${path})
    list(APPEND cpp ${made}/${name}.cpp)
  else()
    list(APPEND host ${source})
  endif()
endforeach()
set(made_headers) # ninja looks at them after they were made
foreach(header ${headers})
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
  list(APPEND made_headers ${made}/${path})
endforeach()
add_custom_command(
  OUTPUT ${cpp}
  BYPRODUCTS ${made_headers}
  COMMAND ${Python3_EXECUTABLE} ${emulator}/rewrite.py ${made} ${PROJECT_SOURCE_DIR}/cuda ${device}
  DEPENDS ${emulator}/rewrite.py ${emulator}/ptx.cuh ${headers} ${device}
  COMMENT "Making C++ of the CUDA sources")
# -Wno-...: what nvcc does not mind either. An order of arithmetic as on a GPU, joined products and sums.
set_source_files_properties(${cpp} PROPERTIES COMPILE_OPTIONS
  "-std=c++20;-O2;-mfma;-mf16c;-mavx2;-ffp-contract=fast;-fno-strict-aliasing;-Wno-unknown-pragmas;-Wno-deprecated-enum-float-conversion;-include;${emulator}/cuda_on_host.h"
  INCLUDE_DIRECTORIES "${made};${made}/cuda/particles;${made}/cuda/wave;${made}/cuda/roofline;${emulator}/include")
set_target_properties(torre_cuda PROPERTIES SOURCES "${host};${cpp}")
target_sources(torre_cuda PRIVATE ${emulator}/emulator.cpp ${emulator}/registration.cpp
                                  ${emulator}/../fake_cuda/fake_cuda.c ${emulator}/../fake_cuda/fake_image.c
                                  ${emulator}/../fake_cuda/fake_kernels.c
                                  ${emulator}/../fake_cuda/fake_tensor_map.c)
target_include_directories(torre_cuda PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
