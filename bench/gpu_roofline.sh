#!/bin/bash
# Examine a GPU machine and measure its roofline: doctor, then the default sweep.
# Usage: bench/gpu_roofline.sh PROGRAM_DIR RESULT_DIR [ROOFLINE_OPTION]...
# Nothing is built here: PROGRAM_DIR holds roofline and doctor, built with -DTORRE_CUDA=ON on any
# machine. Pictures need gnuplot; where it is missing, run it later on the scripts in RESULT_DIR.
set -o pipefail
programs=${1:?usage: gpu_roofline.sh PROGRAM_DIR RESULT_DIR [OPTION]...}
results=${2:?usage: gpu_roofline.sh PROGRAM_DIR RESULT_DIR [OPTION]...}
shift 2
mkdir -p "$results" || exit 1
nvidia-smi --query-gpu=name,uuid,driver_version,clocks.sm,clocks.max.sm,memory.total --format=csv
"$programs/doctor" --backend cuda --json "$results/doctor.json" | tee "$results/doctor.txt"
checked=$?
TORRE_TUNE=$results/tune.csv "$programs/roofline" --backend cuda --tune --output "$results" \
    --json "$results/roofline.json" "$@" | tee "$results/roofline.txt"
measured=$?
exit $((checked ? checked : measured))
