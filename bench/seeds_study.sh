#!/bin/bash
# What the figures of examples/seeds need of a machine. On its CPU: forces of the melt (Table 3 of
# Al-Kharusi and Walker), a step of the dam break taken apart, by threads (Table 1 and Figure 3 of
# Miyajima, Kubota and Fujita), sorting particles (Figure 5.1 of the thesis on granular gases). On
# its GPU: the step taken apart again and, where ncu may read the counters, why warps of the
# neighbour sweeps wait (Figure 9) and the force kernel in three orderings (Table 4).
# Usage: bench/seeds_study.sh PROGRAM_DIR RESULT_DIR [PART...]
# Parts: forces processes reorder phases stalls profile. CELLS, THREADS and SIZE set smaller cases.
# Writes RESULT_DIR/PART.csv.
set -u
programs=${1:?usage: seeds_study.sh PROGRAM_DIR RESULT_DIR [PART...]}
results=${2:?usage: seeds_study.sh PROGRAM_DIR RESULT_DIR [PART...]}
shift 2
[ $# -gt 0 ] || set -- forces processes reorder phases stalls profile
mkdir -p "$results" || exit 3
report=$results/report.$$.json
trap 'rm -f "$report" "$report.csv"' EXIT

# number NAME: from the report of md, "atoms" or "force"
number() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" "$report" | head -1; }

# nanoseconds per particle and step
forces() {
    local threads=${THREADS:-8}
    echo cells,atoms,neighbor,ordering,threads,force_ns,total_ns
    for cells in ${CELLS:-32 42 52 62 72 82 92}; do
        for neighbor in full half; do
            for ordering in row-major hilbert morton; do
                "$programs/md" --backend cpu --precision f32 --threads "$threads" --cells "$cells" \
                    --steps 20 --neighbor $neighbor --ordering $ordering --thermo 0 \
                    --picture none --quiet --json "$report" || return
                awk -v n="$(number atoms)" -v f="$(number force)" -v l="$(number loop_s)" \
                    -v row="$neighbor,$ordering,$threads" -v c="$cells" 'BEGIN {
                        p = 1e9 / n / 20; printf "%d,%d,%s,%.2f,%.2f\n", c, n, row, f * p, l * p }'
            done
        done
    done
}

# dam BACKEND SIZE STEPS OPTION...: milliseconds a step of its parts; the label is in $label
dam() {
    local backend=$1 size=$2 steps=$3
    shift 3
    "$programs/md" --model mps --backend "$backend" --precision f32 --size "$size" \
        --steps "$steps" --thermo 0 --front none --picture none --quiet --json "$report" "$@" ||
        return
    local row=$label,$(number atoms)
    for part in viscosity density gradient neighbor sort move loop_s; do
        row=$row,$(awk -v t="$(number $part)" -v n="$steps" 'BEGIN { printf "%.4f", 1e3 * t / n }')
    done
    echo "$row"
}
parts=particles,viscosity_ms,density_ms,gradient_ms,neighbor_ms,sort_ms,move_ms,step_ms

processes() {
    echo "threads,$parts"
    for threads in ${THREADS:-1 2 4 8 16}; do
        label=$threads dam cpu "${SIZE:-large}" 8 --threads "$threads" || return
    done
}

reorder() { "$programs/bench_reorder" ${THREADS:-} ${PARTICLES:-}; }

phases() {
    echo "size,ordering,$parts"
    for size in ${SIZE:-small medium large}; do
        for ordering in row-major hilbert none; do
            label=$size,$ordering dam cuda "$size" 200 --ordering $ordering || return
        done
    done
}

# profile_rows LABEL KERNELS SKIP COUNT PROGRAM...: "LABEL,kernel,metric,value" for every launch
profile_rows() {
    local label=$1 kernels=$2 skip=$3 count=$4
    shift 4
    timeout 100 ncu --csv --page raw --print-units base --clock-control none --kill yes \
        --section WarpStateStats --section SchedulerStats --metrics "gpu__time_duration.sum,\
dram__bytes_read.sum,dram__bytes_write.sum,sm__cycles_active.avg,sm__cycles_active.sum,\
smsp__inst_executed.sum,smsp__thread_inst_executed_per_inst_executed.ratio,\
smsp__issue_active.avg.pct_of_peak_sustained_active,\
gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed,\
l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct,\
l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio,\
l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio" \
        --kernel-name "regex:$kernels" --launch-skip "$skip" --launch-count "$count" "$@" \
        >"$report.csv"
    local kept='^(gpu__time_d|gpu__dram_|dram__b|sm__cycles_active|l1tex__|lts__|smsp__(inst_ex|'
    kept+='thread_inst|issue_active|average_warps_issue|warps_(active|eligible)[.]avg[.]per_cycle))'
    awk -F'","' -v label="$label" -v kept="$kept" '
        /^"ID"/ { for (k = 1; k <= NF; k++) { gsub(/"/, "", $k); name[k] = $k } }
        /^"[0-9]/ { for (k = 1; k <= NF; k++) { gsub(/[",]/, "", $k)
                    if (name[k] == "Kernel Name") { kernel = $k; gsub(/^void |[<(].*/, "", kernel) }
                    if (name[k] ~ kept) printf "%s,%s,%s,%s\n", label, kernel, name[k], $k }
                    rows++ }
        END { exit !rows }' "$report.csv" ||
        { echo "seeds_study.sh: ncu said: $(head -3 "$report.csv")" >&2 && return 1; }
}

# bench_mps mappings launches each mapping 17 times, first for the order none, then for row-major:
# profiled are the last naive, all atomic and the first 3-D sweeps of row-major, kept is one of each.
stalls() {
    echo program,kernel,metric,value
    profile_rows mappings 'naive_kernel|atomic_kernel|three_d_kernel' 67 19 \
        "$programs/bench_mps" mappings "${SIZE:-large}" | awk -F, '!seen[$2, $3]++'
    [ "${PIPESTATUS[0]}" = 0 ] || return
    profile_rows solver mps_sweep_kernel 60 3 "$programs/md" --model mps --backend cuda \
        --precision f32 --size "${SIZE:-large}" --steps 60 --thermo 0 --front none --picture none \
        --quiet
}

profile() {
    echo neighbor,ordering,kernel,metric,value
    for neighbor in full half; do
        for ordering in row-major hilbert morton; do
            profile_rows $neighbor,$ordering 'md_(force|half)_kernel' 45 1 "$programs/md" \
                --backend cuda --precision f32 --cells "${CELLS:-92}" --steps 60 --thermo 0 \
                --picture none --quiet --neighbor $neighbor --ordering $ordering || return
        done
    done
}

status=0
for part in "$@"; do
    case $part in
    forces | processes | reorder | phases | stalls | profile) ;;
    *) echo "seeds_study.sh: no part $part" >&2; exit 2 ;;
    esac
    $part >"$results/$part.csv" || { echo "seeds_study.sh: $part failed" >&2; status=1; }
done
exit $status
