# Ceilings of the GPU and the probe behind doctor; included by CMakeLists.txt.
target_sources(torre_cuda PRIVATE roofline/ceilings.cu roofline/ceilings_probe.cu)
