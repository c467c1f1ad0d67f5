#!/bin/bash
# The study of orderings (Al-Kharusi and Walker, IJHPCA 33 (2019) 998, section 6) on this GPU: the
# force kernel, sorting and the total for every ordering, full and half lists, blocks, sort
# intervals, 131,072 to 16.4 million particles; and, where ncu may read the counters of the GPU,
# what their Table 4 and Figures 21 to 25 show.
# Usage: bench/md_study.sh PROGRAM_DIR RESULT_DIR
# Writes RESULT_DIR/md_study.csv, .png, .svg (with gnuplot), md_profile.csv.
set -o pipefail
programs=${1:?usage: md_study.sh PROGRAM_DIR RESULT_DIR}
results=${2:?usage: md_study.sh PROGRAM_DIR RESULT_DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$results" || exit 3
timeout 180 "$programs/bench_md_cuda" --study "$results/md_study.csv" | tee "$results/md_study.txt"
status=$?

# profile NEIGHBOR ORDERING: one launch of the force kernel in the third interval between sorts.
profile()
{
    timeout 60 ncu --csv --page raw --print-units base --clock-control none \
        --section SpeedOfLight --section SchedulerStats --section WarpStateStats \
        --section Occupancy --section LaunchStats --section InstructionStats \
        --section MemoryWorkloadAnalysis --section MemoryWorkloadAnalysis_Tables \
        --section SourceCounters --kernel-name 'regex:md_(force|half)_kernel' --launch-skip 45 \
        --launch-count 1 "$programs/md" --backend cuda --cells 92 --steps 60 --thermo 0 \
        --picture none --quiet --neighbor "$1" --ordering "$2" >"$results/ncu.csv"
    awk -F'","' -v run="$1,$2" '
        /^"ID"/ { for (k = 1; k < NF; k++) name[k] = $k }
        /^"[0-9]/ { for (k = 1; k < NF; k++) { gsub(/,/, "", $k)
                    if (name[k] ~ /__|^launch/) printf "%s,%s,%s\n", run, name[k], $k } }
    ' "$results/ncu.csv" >>"$results/md_profile.csv"
}
if command -v ncu >/dev/null; then
    echo neighbor,ordering,metric,value >"$results/md_profile.csv"
    for neighbor in full half; do
        for ordering in row-major hilbert morton; do profile $neighbor $ordering || break 2; done
    done
    rm -f "$results/ncu.csv"
    awk -F, '$3 ~ /^(gpu__time_duration.sum|sm__cycles_elapsed.max|smsp__warps_eligible.avg.per_cycle_active|smsp__warps_active.avg.per_cycle_active)$/' \
        "$results/md_profile.csv"
fi
cp "$here/md_study.gp" "$results/" && command -v gnuplot >/dev/null &&
    (cd "$results" && gnuplot md_study.gp)
exit $status
