#!/bin/bash
# The study of T. Miyajima, K. Kubota, N. Fujita (neighbour search of a moving-particle method on
# GPUs) on this machine: the viscosity sweep of their three data sets in their three thread mappings
# and in every ordering of the buckets, the solvers of this project, CPU and GPU.
# Usage: bench/mps_study.sh PROGRAM_DIR RESULT_DIR [mappings|cuda|cpu ...]
# Writes RESULT_DIR/mps_study.csv (every measurement) and mps_table.csv (milliseconds of the sweep
# beside the paper's Table 4, its text and its 24 processes).
set -u
programs=${1:?usage: mps_study.sh PROGRAM_DIR RESULT_DIR [PART...]}
results=${2:?usage: mps_study.sh PROGRAM_DIR RESULT_DIR [PART...]}
shift 2
[ $# -gt 0 ] || set -- mappings cuda cpu
mkdir -p "$results" || exit 3
status=0
for part in "$@"; do "$programs/bench_mps" "$part" || status=$?; done |
    awk 'NR == 1 || !/^size,/' | tee "$results/mps_study.csv"
[ "${PIPESTATUS[0]}" = 0 ] || status=1

gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
awk -F, -v gpu="${gpu:-this GPU}" '
    $4 == "naive" || $4 == "atomic" || $4 == "3-D" { put(gpu ", " $3, $4) }
    $4 ~ /^cuda f(32|64)$/ { put(gpu ", " $3, "lists, " substr($4, 6)) }
    $4 == "cpu f32" { put("CPU, " $3, "lists, f32") }
    function put(where, how) {
        key = where "\",\"" how
        if (!(key in seen)) { seen[key] = 1; order[++rows] = key }
        ms[key, $1] = $5
    }
    END {
        print "where,mapping,small_ms,medium_ms,large_ms"
        print "\"24 processes, 2 Xeon E5-2697v2 (paper)\",a thread per process,,,1911.4"
        print "\"K20c (paper)\",naive,8.6,26.7,\n\"K20c (paper)\",atomic,6.2,36.0,\n\"K20c (paper)\",3-D,15.9,69.4,"
        print "\"GTX 1080 (paper)\",naive,1.4,8.7,\n\"GTX 1080 (paper)\",atomic,1.9,15.1,\n\"GTX 1080 (paper)\",3-D,2.5,20.6,"
        print "\"P100 NVLink (paper)\",naive,1.7,4.3,42.4\n\"P100 NVLink (paper)\",atomic,1.7,4.3,\n\"P100 NVLink (paper)\",3-D,1.5,11.1,"
        print "\"P100 PCIe (paper)\",naive,1.6,4.7,\n\"P100 PCIe (paper)\",atomic,1.3,4.8,\n\"P100 PCIe (paper)\",3-D,1.2,11.6,"
        for (k = 1; k <= rows; k++)
            printf "\"%s\",%s,%s,%s\n", order[k], ms[order[k], "small"], ms[order[k], "medium"], ms[order[k], "large"]
    }' "$results/mps_study.csv" >"$results/mps_table.csv"
exit $status
