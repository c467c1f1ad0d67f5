# Ceilings of the GPU and the probe behind doctor; included by CMakeLists.txt.
target_sources(torre_cuda PRIVATE ceilings.cu ceilings_probe.cu)
