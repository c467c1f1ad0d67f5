#!/bin/sh
# Make the figures and tables of the four texts that this project started from (README.md) and print
# what is computed beside what is published.
#
#     run.sh [-q] [-b BUILD_FOLDER] [-o OUTPUT_FOLDER] [-r RESULTS] [PART...]
#
# Parts: orderings gas towers mps; all without names (some minutes). -q leaves out what takes long.
# -r: a folder that bench/seeds_study.sh has filled, instead of h200/ beside this script. Exits with 1
# where a number that does not depend on a machine is not the published one.
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
out=seeds-figures
results=$here/h200
quick=
while getopts qb:o:r: option; do
    case $option in
    q) quick=1 ;;
    b) build=$OPTARG ;;
    o) out=$OPTARG ;;
    r) results=$(cd "$OPTARG" && pwd) || exit 3 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "$build" 2>/dev/null && pwd)
[ -x "$build/locality" ] || { echo "run.sh: no programs there: give the build folder with -b" >&2; exit 2; }
PATH=$build:$PATH
for part in "$@"; do
    case $part in
    orderings | gas | towers | mps) ;;
    *) echo "run.sh: the parts are orderings, gas, towers, mps (got $part)" >&2; exit 2 ;;
    esac
done
mkdir -p "$out" && cd "$out" || exit 3
failed=

# row FIGURE WHAT PUBLISHED COMPUTED: numbers are the same within half a unit of the last digit that is
# published, texts when they are equal.
row() {
    awk -v figure="$1" -v what="$2" -v p="$3" -v c="$4" 'BEGIN {
        same = p == c
        if (p ~ /^-?[0-9]*\.?[0-9]+$/ && c ~ /^-?[0-9.]+([eE][-+]?[0-9]+)?$/) {
            digits = p ~ /\./ ? length(p) - index(p, ".") : 0
            difference = p - c
            same = (difference < 0 ? -difference : difference) <= 0.5000001 * 10 ^ -digits
            c = sprintf("%.6g", c)
        }
        printf "%-9s %-60s %17s %17s  %s\n", figure, what, p, c, same ? "same" : "DIFFERS"
        exit !same }' || failed=1
}

# note FIGURE WHAT PUBLISHED COMPUTED: numbers of two machines, or statements.
note() { printf '%-9s %-60s %17s %17s\n' "$1" "$2" "$3" "$4"; }

# field NAME < JSON: the first value of that name
field() { sed -n "s/^ *\"$1\": \"*\([^\",]*\)\"*,*\$/\1/p" | head -1; }

# --- seed 0: Al-Kharusi and Walker, IJHPCA 33 (2019) 998 ---------------------------------------

ends() { # ORDERING: "(0,0,0) (3,0,0)" of 4x4x4
    locality curve --ordering "$1" --size 4 --csv - | awk -F, '
        NR == 2 { printf "(%d,%d,%d) ", $2, $3, $4 } { last = "(" $2 "," $3 "," $4 ")" }
        END { print last }'
}

stencil() { locality stencil --stencil "$1" --reach "$2" --json - | field "$3"; }

offsets() { # ORDERING REACH NAME
    locality offsets --ordering "$1" --size 16 --reach "$2" --json - | field "$3"
}

within() { # ORDERING REACH LIMIT: the fraction
    locality offsets --ordering "$1" --size 16 --reach "$2" --within "$3" --json - | field fraction
}

beyond() { within "$@" | awk '{ printf "%.3f", 100 * (1 - $1) }'; }

misses() { # CAPACITY: the orderings by rising miss rate in Figure 10
    for ordering in row-major morton hilbert; do
        locality cache --ordering $ordering --size 32 --block 2 --capacity "$1" --json - |
            field miss_rate | sed "s/\$/ $ordering/"
    done | sort -g | awk '{ printf "%s%s", (NR > 1 ? "<" : ""), substr($2, 1, 1) }'
}

# Figure 24: transactions of an access, by the layout of the paper's arrays
transactions() { # NEIGHBOR ORDERING ACCESS
    awk -F, -v key="$1,$2,$3" '$1 "," $2 "," $3 == key { print $5 }' fig24.csv
}

# Table 3: force on the CPU over force on the GPU, both ns per particle and step
force_ratio() { # CELLS NEIGHBOR ORDERING
    awk -F, -v n="$1" -v list="$2" -v order="$3" '
        FNR == 1 { file++; next }
        file == 1 && $1 == n && $3 == list && $4 == order { cpu = $6 }
        file == 2 && $1 == "size" && $2 == 4 * n ^ 3 && $4 == list && $5 == order {
            gpu = 1e3 * $9 / $2 }
        END { if (cpu && gpu) printf "%.0f", cpu / gpu; else printf "-" }
    ' "$results/forces.csv" "$here/../orderings/h200/md_study.csv"
}

# A counter of the force kernel, times a factor, or over another counter
counter() { # NEIGHBOR ORDERING METRIC FORMAT FACTOR [OVER]
    awk -F, -v list="$1" -v order="$2" -v metric="$3" -v format="$4" -v by="$5" -v over="$6" '
        $1 == list && $2 == order { value[$4] = $5 }
        END { if (!(metric in value)) printf "-"
              else printf format, by * value[metric] / (over ? value[over] : 1) }' "$results/profile.csv"
}

orderings() {
    row "Fig. 2" "Hilbert curve, 4x4x4, from and to" "(0,0,0) (3,0,0)" "$(ends hilbert)"
    row "Fig. 4" "Morton curve, 4x4x4, from and to" "(0,0,0) (3,3,3)" "$(ends morton)"
    g=0
    for printed in 27:84.49 125:73.19 311:63.63 613:56.27 1015:48.41 1689:46.43 2399:40.11 \
        3449:37.82 4675:34.68; do
        g=$((g + 1))
        row "Table 2" "bins of the spherical stencil, g = $g" ${printed%:*} "$(stencil spherical $g bins)"
        row "Table 2" "deviation from the sphere, %" ${printed#*:} \
            "$(stencil spherical $g deviation_percent)"
    done
    row "Eq. 11" "half block stencil, g = 3: 1 + 3g + 6g^2 + 4g^3" 172 "$(stencil block 3 half_bins)"
    row "Fig. 6" "farthest offset, g = 1: row-major" 273 "$(offsets row-major 1 max_abs_offset)"
    row "Fig. 6" "farthest offset, g = 1: Hilbert" 3767 "$(offsets hilbert 1 max_abs_offset)"
    row "Fig. 6" "farthest offset, g = 1: Morton" 3073 "$(offsets morton 1 max_abs_offset)"
    row "Fig. 6" "beyond 299, %: Hilbert" 13.3 "$(beyond hilbert 1 299)"
    row "Fig. 6" "beyond 299, %: Morton" 13.8 "$(beyond morton 1 299)"
    row "Fig. 7" "farthest offset, g = 3: Hilbert" 3794 "$(offsets hilbert 3 max_abs_offset)"
    row "Fig. 7" "farthest offset, g = 3: Morton" 3129 "$(offsets morton 3 max_abs_offset)"
    row "Fig. 7" "beyond 899, %: Hilbert" 20.5 "$(beyond hilbert 3 899)"
    row "Fig. 7" "beyond 899, %: Morton" 22.0 "$(beyond morton 3 899)"
    row "Fig. 8" "within 199, g = 1: row-major" 0.333 "$(within row-major 1 199)"
    row "Fig. 8" "within 199, g = 1: Hilbert" 0.817 "$(within hilbert 1 199)"
    row "Fig. 8" "within 199, g = 1: Morton" 0.787 "$(within morton 1 199)"
    row "Fig. 8" "within 299, g = 1: Hilbert" 0.867 "$(within hilbert 1 299)"
    row "Fig. 8" "within 299, g = 1: Morton" 0.862 "$(within morton 1 299)"
    row "Fig. 9" "within 899, g = 3: row-major" 1 "$(within row-major 3 899)"
    row "Fig. 9" "within 899, g = 3: Hilbert" 0.795 "$(within hilbert 3 899)"
    row "Fig. 9" "within 899, g = 3: Morton" 0.780 "$(within morton 3 899)"
    row "Fig. 10" "orderings by misses, 64 blocks" "h<m<r" "$(misses 64)"
    row "Fig. 10" "orderings by misses, 512 blocks" "h<m<r" "$(misses 512)"
    note "Fig. 10" "orderings by misses, 1024 blocks" "h<m<r" "$(misses 1024)"
    row "Fig. 14" "bins of the half spherical stencil, g = 2" 63 "$(stencil spherical 2 half_bins)"

    bench_transactions ${quick:+10} >fig24.csv || exit 1
    for list in full half; do
        row "Fig. 24" "transactions, own coordinate (AC), $list lists" 24 \
            "$(transactions $list row-major AC)"
        row "Fig. 24" "transactions, own force (FUO), $list lists" 24 \
            "$(transactions $list row-major FUO)"
        for ordering in row-major hilbert morton; do
            [ $list = full ] && said="slightly > 24" || said="< 24"
            note "Fig. 24" "transactions, neighbour's coordinate (NC), $list, $ordering" "$said" \
                "$(transactions $list $ordering NC)"
        done
    done
    note "Fig. 24" "index in the list (NI): half below full" "yes" \
        "$(transactions half row-major NI)<$(transactions full row-major NI)"
    note "Fig. 24" "neighbour's type (NT): half below full" "yes" \
        "$(transactions half row-major NT)<$(transactions full row-major NT)"

    while read -r n r R h H m M; do
        note "Table 3" "CPU/GPU, N = $n, full: row-major, Hilbert, Morton" "$r $h $m" \
            "$(force_ratio $n full row-major) $(force_ratio $n full hilbert) $(force_ratio $n full morton)"
        note "Table 3" "CPU/GPU, N = $n, half: row-major, Hilbert, Morton" "$R $H $M" \
            "$(force_ratio $n half row-major) $(force_ratio $n half hilbert) $(force_ratio $n half morton)"
    done <<END
32 11.67 6.89 8.07 5.97 8.66 6.38
42 12.27 7.38 7.32 6.58 7.10 6.76
52 12.29 7.75 7.65 6.84 7.48 7.01
62 12.14 7.84 7.94 7.20 7.69 7.08
72 12.66 7.87 8.02 7.07 7.84 7.56
82 12.32 8.01 7.96 7.14 7.56 7.22
92 12.55 8.12 7.95 7.23 7.85 7.26
END
    while read -r list ordering cycles eligible; do
        note "Table 4" "active cycles, 10^9 (here of one sweep): $list, $ordering" "$cycles" \
            "$(counter $list $ordering sm__cycles_active.sum %.3f 1e-9)"
        note "Table 4" "eligible of the active warps, %: $list, $ordering" "$eligible" \
            "$(counter $list $ordering smsp__warps_eligible.avg.per_cycle_active %.1f 100 \
                smsp__warps_active.avg.per_cycle_active)"
    done <<END
full row-major 11.80 7.5
half row-major 10.70 10.3
full hilbert 12.00 7.3
half hilbert 10.74 10.3
full morton 12.02 7.4
half morton 10.68 10.3
END
}

# --- seed 1: the thesis on space-filling curves for granular gases -----------------------------

hits() { # ORDERING SIZE HEIGHT FILLING: percent
    locality hits --ordering "$1" --size "$2" --height "$3" --filling "$4" --cache 320 --csv - |
        awk -F, 'NR == 2 { printf "%.1f", 100 * $2 }'
}

gas() {
    row "Fig. 4.6" "pancake 64x64x8: steps to a neighbour" 32767 \
        "$(locality curve --ordering pancake --size 64x64x8 --json - | field unit_steps)"
    row "Ch. 4" "Moore curve 16x16 is closed" true \
        "$(locality curve --ordering moore --size 16x16 --json - | field closed)"
    note "Fig. 5.1" "sort, ns a particle: at random / in order, 1 thread" "in order faster" \
        "$(sort_times random 1) / $(sort_times ordered 1)"
    note "Fig. 5.1" "the same, $(sort_threads) threads" "threads faster" \
        "$(sort_times random "$(sort_threads)") / $(sort_times ordered "$(sort_threads)")"
    note "Fig. 5.3" "hits of a plane at 20 %: Hilbert, %" "above 90" "$(hits hilbert 256x256 1 0.2)"
    note "Fig. 5.5" "hits in prisms 10 high at 20 %: Hilbert, %" "much less" \
        "$(hits hilbert 256x256 10 0.2)"
    shares
}

# Of the largest set in reorder.csv
sort_times() { awk -F, -v s="$1" -v t="$2" '$3 == s && $2 == t { ns = $5 } END { print ns }' "$results/reorder.csv"; }
sort_threads() { awk -F, 'NR > 1 && $2 > t { t = $2 } END { print t }' "$results/reorder.csv"; }

# Figure 6.1: where the time of a gas goes that is never sorted
shares() {
    edge=${quick:+16}
    md --model granular --filling 0.2 --size "${edge:-60},${edge:-60},${edge:-60}" --ordering none \
        --steps 60 --temperature 0.04 --seed 1 --thermo 0 --picture none --quiet --json fig6_1.json ||
        exit 1
    sed -n '/"loop_time_s"/,/}/p' fig6_1.json | awk -F'[":, ]+' '
        /: [0-9]/ { seconds[$2] = $3; sum += $3 }
        END { print "part,percent"; for (k in seconds) printf "%s,%.2f\n", k, 100 * seconds[k] / sum }
    ' >fig6_1.csv
    note "Fig. 6.1" "forces, of the time without reorder at 20 %, %" "most" \
        "$(awk -F, '$1 == "force" { print $2 }' fig6_1.csv)"
}

# --- seed 2: Levchenko, Perepelkina and Zakirov, Computation 4 (2016) 29 -------------------------

tower() { # NAME ARGUMENTS...
    name=$1
    shift
    locality tower "$@" --csv "$name.csv" --plot "$name.png" --quiet || exit 1
}

count() { awk -F, -v label="$2" '$NF == label { n++ } END { print n + 0 }' "$1.csv"; }

# The Courant limit 2 / sqrt(3 S), S = 2 (|C0| + sum |C_i|), with the printed weights of Table 1
limit() { awk "BEGIN { printf \"%.6f\", 2 / sqrt(3 * 2 * ($1)) }"; }

towers() {
    for weights in '2:1+1' '4:5/4+4/3+1/12' '6:49/36+3/2+3/20+1/90' \
        '8:205/144+8/5+1/5+8/315+1/560'; do
        row "Table 1" "limit of c dt/h from the weights, order ${weights%%:*}" \
            "$(limit "${weights#*:}")" "$(wave --order "${weights%%:*}" --size 16 --steps 1 \
                --dry-run --quiet --json - | field courant_limit)"
    done
    tower fig2_stencil --view stencil --order 6
    tower fig4_stepwise --view stepwise --size 48x1 --tower-height 12
    tower fig4_domains --view domains --size 48x1 --tower-height 12
    tower fig4_towers --view section --size 48x1 --tower-height 12 --dts 4
    tower fig5_cones --view cones --dts 4 --tower-height 8
    tower fig5_tower --view tower --dts 4 --tower-height 8
    tower fig6_neighbours --view neighbours --dts 4 --tower-height 8
    tower fig8_stages --view stages --dts 4 --size 48x48 --tower-height 8
    tower fig9_some --view levels --dts 4 --size 48x48 --tower-height 8
    tower fig9_all --view levels --dts 4 --size 48x48 --tower-height 8 --done \
        "$(locality tower --view levels --dts 4 --size 48x48 --tower-height 8 --json - | field towers)"
    row "Fig. 2" "reads of the present level, order 6, in x and y" 13 "$(count fig2_stencil read)"
    sed -n 's/,both$/,own/p' fig5_cones.csv | sort >cones.txt
    sed 1d fig5_tower.csv | sort | cmp -s - cones.txt && equal=equal || equal=different
    row "Fig. 5" "cones' intersection and the tower's cells" equal $equal
    rm cones.txt
    row "Sec. 4" "cells of a tile, order 2, DTS 1" 2 \
        "$(locality tower --dts 1 --json - | field tile_cells)"
    row "Fig. 6" "towers that a tower waits for" 3 "$(towers_of upwind)"
    row "Fig. 6" "towers that wait for it" 3 "$(towers_of downwind)"
    row "Fig. 8" "stages take turns: even and odd rows" yes "$(awk -F, '
        NR > 1 && ($4 + $5) % 2 { bad = 1 } END { print bad ? "no" : "yes" }' fig8_stages.csv)"
    row "Fig. 9" "some towers: steps from 0 to" 8 "$(awk -F, 'NR > 1 && $4 > n { n = $4 } END { print n }' fig9_some.csv)"
    row "Fig. 9" "all towers: cells without all 8 steps" 0 "$(awk -F, 'NR > 1 && $4 != 8 { n++ } END { print n + 0 }' fig9_all.csv)"
}

towers_of() { awk -F, -v r="$1" '$6 == r { t[$4, $5] } END { for (k in t) n++; print n + 0 }' fig6_neighbours.csv; }

# --- seed 3: Miyajima, Kubota and Fujita, JAXA --------------------------------------------------

# Milliseconds of the neighbour sweeps, or of the rest, by threads
sweeps() { # THREADS PART
    awk -F, -v t="$1" -v what="$2" '$1 == t {
        search = $3 + $4 + $5
        printf "%.1f", what == "search" ? search : what == "proc1" ? $3 : $9 - search; found = 1 }
        END { if (!found) printf "-" }' "$results/processes.csv"
}

# Percent of a kernel's waits that are for global memory: a value from it, or room in its queue.
# (Having been able to issue is no wait.)
memory_waits() {
    awk -F, -v kernel="$1" '
        $2 == kernel && $3 ~ /issue_stalled/ && $3 !~ /selected/ {
            all += $4
            if ($3 ~ /long_scoreboard|lg_throttle/) memory += $4 }
        END { if (all) printf "%.0f", 100 * memory / all; else printf "-" }' "$results/stalls.csv"
}

mps() {
    md --model mps --size small --steps 20 --precision f32 --thermo 0 --front none --quiet \
        --picture fig1.png --json step.json || exit 1
    for part in viscosity density gradient neighbor sort move; do
        echo "$part,$(field $part <step.json)"
    done | awk -F, 'BEGIN { print "part,percent" } { name[NR] = $1; s[NR] = $2; sum += $2 }
        END { for (k = 1; k <= NR; k++) printf "%s,%.2f\n", name[k], 100 * s[k] / sum }' >fig3.csv
    note "Fig. 3" "neighbour sweeps, of a step here (small set), %" 56 "$(awk -F, '
        $1 ~ /viscosity|density|gradient/ { s += $2 } END { printf "%.0f", s }' fig3.csv)"
    note "Fig. 3" "the same, large set, most threads, %" 56 "$(awk -F, '
        NR > 1 { s = 100 * ($3 + $4 + $5) / $9 } END { printf "%.0f", s }' "$results/processes.csv")"
    while read -r threads search mpi others proc1; do
        note "Table 1" "ms of a step, $threads threads: search / others" "$search / $others" \
            "$(sweeps $threads search) / $(sweeps $threads others)"
        note "Table 1" "ms of Proc 1, $threads threads" "$proc1" "$(sweeps $threads proc1)"
    done <<END
2 41122.1 98.3 9757.1 19827.5
4 22086.9 901.8 5562.7 10655.7
8 11468.3 1068.2 3139.9 5524.1
END
    for kernel in naive_kernel atomic_kernel three_d_kernel mps_sweep_kernel; do
        case $kernel in atomic* | three*) said=83 ;; *) said=- ;; esac
        note "Fig. 9" "waits for memory, of all waits, $kernel, %" $said "$(memory_waits $kernel)"
    done
}

# pictures PART: the figures of examples/locality, and what other machines measured, drawn again
pictures() {
    case $1 in orderings) kind=md ;; gas) kind=gas ;; *) return 0 ;; esac
    "$here/../locality/run.sh" -b "$build" -o . \
        $("$here/../locality/run.sh" list | tr ' ' '\n' | grep ^$kind) || return 1
    command -v gnuplot >/dev/null || return 0
    if [ $kind = md ]; then
        cp "$here/../orderings/h200/md_study.csv" . && gnuplot "$here/../../bench/md_study.gp"
    else
        for study in table filling interval; do
            gnuplot -e "csv='$here/../granular/h200/$study.csv'; png='granular_$study.png'" \
                -e "study='$study'" "$here/../../bench/granular.gp" || return 1
        done
    fi
}

printf '%-9s %-60s %17s %17s\n' figure what published computed
for part in ${*:-orderings gas towers mps}; do
    case $part in
    orderings) echo "== Al-Kharusi and Walker, orderings and molecular dynamics" ;;
    gas) echo "== thesis on space-filling curves for granular gases" ;;
    towers) echo "== Levchenko, Perepelkina and Zakirov, DiamondTorre" ;;
    mps) echo "== Miyajima, Kubota and Fujita, neighbour search of MPS" ;;
    esac
    $part
    [ "$quick" ] || pictures $part || exit 1
done
[ -z "$failed" ] || { echo "run.sh: numbers marked DIFFERS are not the published ones" >&2; exit 1; }
