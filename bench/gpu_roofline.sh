#!/bin/bash
# Examine a GPU machine: doctor, the programs on the GPU beside the CPU, the roofline, its
# recommendations, bytes counted by a profiler, the study of orderings.
# Usage: bench/gpu_roofline.sh PROGRAM_DIR RESULT_DIR [ROOFLINE_OPTION]...
# Environment: PARTS, what to do of "doctor programs roofline particles bytes study" (all).
# Nothing is built here: PROGRAM_DIR holds the programs, built with -DTORRE_CUDA=ON on any machine.
# Pictures need gnuplot; where it is missing, run it later on the scripts in RESULT_DIR. ncu may be
# missing, or not allowed to read the counters: then there are no counted bytes.
set -o pipefail
programs=$(cd "${1:?usage: gpu_roofline.sh PROGRAM_DIR RESULT_DIR [OPTION]...}" && pwd) || exit 1
results=${2:?usage: gpu_roofline.sh PROGRAM_DIR RESULT_DIR [OPTION]...}
shift 2
mkdir -p "$results" && results=$(cd "$results" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
parts=${PARTS:-doctor programs roofline particles bytes study}
status=0
note() { echo "== $* ($SECONDS s)"; }
# within SECONDS COMMAND...: a command that hangs or fails does not stop the others.
within()
{
    timeout -k 5 "$@"
    local code=$?
    [ $code = 0 ] || { note "exit $code: ${*:2}" && status=1; }
    return $code
}
wants() { case " $parts " in *" $1 "*) ;; *) false ;; esac }

nvidia-smi --query-gpu=name,uuid,driver_version,clocks.sm,clocks.max.sm,memory.total --format=csv
if wants doctor; then
    within 120 "$programs/doctor" --backend cuda --json "$results/doctor.json" |
        tee "$results/doctor.txt"
    note doctor
fi
if wants programs; then
    export TORRE_TUNE=off
    within 60 "$programs/wave" --order 8 --dts 4 --backend cuda --output "$results/wave" \
        --json "$results/wave.json" | tail -4
    within 60 "$programs/md" --ordering hilbert --backend cuda --output "$results/md" \
        --json "$results/md.json" | tail -6
    # the melt in both precisions on both: columns 2 to 6 of the table, the largest difference
    for precision in f64 f32; do
        for backend in cpu cuda; do
            within 60 "$programs/md" --backend $backend --precision $precision --thermo 20 \
                --quiet --picture none --csv "$results/melt_${backend}_$precision.csv"
        done
        paste -d, "$results"/melt_{cpu,cuda}_$precision.csv | awk -F, -v p=$precision '
            NR > 1 { for (k = 2; k <= 6; k++) { d = $k - $(k + 7); if (d < 0) d = -d
                                                if (d > most[NR]) most[NR] = d }
                     printf "md %s, step %d: GPU and CPU differ by %.2e\n", p, $1, most[NR] }'
    done
    unset TORRE_TUNE
    note programs
fi
export TORRE_TUNE=$results/tune.csv
if wants roofline; then
    within 175 "$programs/roofline" --backend cuda --tune --output "$results" \
        --json "$results/roofline.json" "$@" | tee "$results/roofline.txt"
    within 60 "$programs/wave" --order 8 --backend cuda --snapshot-every 0 | grep -F "roofline --tune" ||
        { note "wave does not say that it uses the recommendations" && status=1; }
    note roofline
fi
if wants particles; then
    within 60 "$programs/roofline" --program md --backend cuda --output "$results/particles" |
        tee "$results/particles.txt"
    note particles
fi
if wants bytes && command -v ncu >/dev/null; then
    within 120 "$here/ncu_bytes.sh" "$programs/wave" "$results/sweep.csv" |
        tee "$results/bytes.csv"
    [ "$(wc -l <"$results/bytes.csv")" -gt 1 ] &&
        within 60 "$programs/roofline" --backend cuda --resume --measured "$results/bytes.csv" \
            --output "$results" --json "$results/roofline.json" "$@" >"$results/roofline.txt"
    note bytes
fi
if wants study; then
    within 240 "$here/md_study.sh" "$programs" "$results/md_study" | tail -40
    note study
fi
exit $status
