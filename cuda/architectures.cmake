# Compute capability 9.0 always means 90a: every GPU of that kind runs it, and only there are the
# kernels with TMA, two to three times as fast as those without. CMake says 90-real for `native`, and
# people say 90. Included by CMakeLists.txt after CUDA is enabled: CMAKE_CUDA_ARCHITECTURES for the
# targets of this folder, and torre_tma, whether kernels with TMA are among them.
option(TORRE_TMA "Kernels with TMA for compute capability 9.0 (OFF: to test the others there)" ON)

if(CMAKE_CUDA_ARCHITECTURES STREQUAL "native")
  if(CMAKE_VERSION VERSION_LESS 3.24)
    message(FATAL_ERROR "torre: CMAKE_CUDA_ARCHITECTURES=native needs CMake 3.24 (this is "
                        "${CMAKE_VERSION}). Give the number, such as 90 or 86.")
  elseif(NOT CMAKE_CUDA_ARCHITECTURES_NATIVE)
    message(FATAL_ERROR "torre: CMAKE_CUDA_ARCHITECTURES=native, but no GPU can be used here. Give "
                        "the number of the one it shall run on, such as 90 or 86.")
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
endif()
if(TORRE_TMA)
  # 90 is machine code and PTX for later GPUs; the PTX of 90a would run on 9.0 alone
  list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^90$" "90a-real;90-virtual")
  list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^90-real$" "90a-real")
else()
  # the kernels with TMA are what 90a compiles
  list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^90a" "90")
endif()
list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)

set(torre_tma OFF)
if(TORRE_TMA AND CMAKE_CUDA_ARCHITECTURES MATCHES "90a")
  set(torre_tma ON)
  set(torre_tma_text "with TMA on compute capability 9.0")
elseif(CMAKE_CUDA_ARCHITECTURES MATCHES "^all|90")
  set(torre_tma_text "without TMA: slower on compute capability 9.0 (say 90a-real to have it)")
else()
  set(torre_tma_text "none for compute capability 9.0")
endif()
message(STATUS "torre: GPU architectures ${CMAKE_CUDA_ARCHITECTURES}; towers ${torre_tma_text}")
