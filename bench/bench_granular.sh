#!/bin/bash
# The study of the thesis on space-filling curves for granular gases, chapters 5 and 6, on this
# machine: what reordering particles in memory gains, and how often it is worth it.
#
#     bench_granular.sh [-b BACKEND] [-p PRECISION] [-n PARTICLES] [-l EDGE] [-s STEPS] [-o DIR] MD STUDY...
#
# Studies:
#   table       force, other and total time of a 3-D Hilbert reorder against none, 5, 20, 40 % filling
#               (Table 6.1), in a cube of about PARTICLES particles
#   filling     run time and gain against filling for the shaken box EDGExEDGEx10, pancake reorder every
#               500 steps or none (Figures 6.2, 6.3)
#   interval    the same box: the best number of steps between reorders, at 10 and 40 % filling
#   orderings   the same box: none, row-major, morton, hilbert, pancake, at 40 % filling
#   search      lists or tiles, skins
# Each writes DIR/granular_STUDY.csv and, with gnuplot, .png. Particles have random ids at the start:
# "none" is the memory of a gas that has mixed for long.
set -u
backend=auto precision=auto particles=1000000 edge=512 steps=1000 out=.
while getopts b:p:n:l:s:o: option; do
    case $option in
    b) backend=$OPTARG ;; p) precision=$OPTARG ;; n) particles=$OPTARG ;; l) edge=$OPTARG ;;
    s) steps=$OPTARG ;; o) out=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { echo "usage: bench_granular.sh [OPTIONS] MD STUDY..." >&2; exit 2; }
md=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out" || exit 3

value() { sed -n "s/^ *\"$1\": \"*\([^\",]*\)\"*,*$/\1/p" "$out/report.json" | head -1; }

header=filling,ordering,sort_every,neighbor,skin,atoms,steps,force_ns,neighbor_ns,sort_ns,other_ns,total_ns,sorts,sort_ms,matom_steps_per_s

# row FILLING OPTION...: nanoseconds per particle and step.
row()
{
    local filling=$1
    shift
    "$md" --model granular --backend $backend --precision $precision --filling $filling \
        --start-sweeps 6 --seed 1 --temperature 0.04 --steps $steps --thermo 0 --picture none \
        --quiet --json "$out/report.json" "$@" || exit
    local time
    time=$(sed -n '/"loop_time_s"/,/}/p' "$out/report.json")
    part() { sed -n "s/.*\"$1\": \([^,]*\),*/\1/p" <<<"$time"; }
    awk -v f=$filling -v o="$(value ordering)" -v e="$(value sort_every)" -v k="$(value neighbor)" \
        -v s="$(value skin)" -v n="$(value atoms)" -v t="$(value steps)" -v F="$(part force)" \
        -v N="$(part neighbor)" -v S="$(part sort)" -v I="$(part integrate)" -v O="$(part other)" \
        -v l="$(value loop_s)" -v c="$(value sorts)" -v r="$(value atom_steps_per_s)" 'BEGIN {
            p = 1e9 / n / t
            printf "%s,%s,%d,%s,%g,%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%d,%.4f,%.5g\n", f, o, e, k, s, n, t,
                   F * p, N * p, S * p, (I + O) * p, l * p, c, c ? 1e3 * S / c : 0, r * 1e-6 }' |
        tee -a "$csv"
}

# cube FILLING: edge in diameters of a cube that holds about that many particles
cube() { awk -v n=$particles -v f=$1 'BEGIN { e = (n * 0.5235988 / f) ^ (1 / 3); printf "%.3f,%.3f,%.3f", e, e, e }'; }

shaken=(--size "$edge,$edge,10" --walls --shake-amplitude 1.8 --shake-frequency 50 --gravity 9.81
    --restitution 0.8 --wall-restitution 0.9)

study_table()
{
    for filling in 0.05 0.2 0.4; do
        for ordering in none hilbert; do row $filling --size "$(cube $filling)" --ordering $ordering; done
    done
}

study_filling()
{
    for filling in 0.02 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4; do
        row $filling "${shaken[@]}" --ordering none
        row $filling "${shaken[@]}" --ordering pancake --sort-every 500
    done
}

study_interval()
{
    for filling in 0.1 0.4; do
        for every in 1 20 50 100 200 500 1000 2000 5000; do
            steps=$((every > 1000 ? 2 * every : 2000)) \
                row $filling "${shaken[@]}" --ordering pancake --sort-every $every
        done
    done
}

study_orderings()
{
    for ordering in none row-major morton hilbert pancake; do
        row 0.4 "${shaken[@]}" --ordering $ordering
    done
}

study_search()
{
    for skin in 0.1 0.15 0.2 0.3 0.4; do
        row 0.4 --size "$(cube 0.4)" --ordering hilbert --skin $skin
    done
    row 0.4 --size "$(cube 0.4)" --ordering hilbert --neighbor tile --skin 0.3
}

for study in "$@"; do
    csv=$out/granular_$study.csv
    echo $header | tee "$csv"
    case $study in
    table | filling | interval | orderings | search) study_$study ;;
    *) echo "no study $study" >&2; exit 2 ;;
    esac
    rm -f "$out/report.json"
    command -v gnuplot >/dev/null || continue
    gnuplot -e "csv='$csv'; png='${csv%.csv}.png'; study='$study'" "$here/granular.gp"
done
