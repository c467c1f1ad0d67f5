#!/bin/bash
# Orderings, neighbour searches and sizes of the Lennard-Jones melt, as in section 6 of Al-Kharusi
# and Walker (IJHPCA 33 (2019) 998): force, neighbour, sort and total time per particle and step.
#
#     bench_md.sh [-b BACKEND] [-p PRECISION] [-n "CELLS ..."] [-s "INTERVAL ..."] [-e STEPS]
#                 [-r RUNS] [-o DIR] [MD]
#
# -e: lists are made every STEPS steps, unchecked (20 in that paper); without it, when a particle has
# moved half the skin, in md and in LAMMPS.
#
# Writes DIR/bench_md.csv, one row per run (the best of RUNS), and DIR/bench_md.png (with gnuplot),
# one panel per search, total time against particles, one curve per ordering; prints the table, the
# largest melt for some intervals between sorts, and on the CPU in f64 the same melt by LAMMPS (lmp
# -sf opt, one MPI rank per thread) where that is installed. On a GPU md_study.sh does more.
set -u
backend=auto precision=auto sizes="20 32 50" intervals="40 100 400" runs=3 out=. every=
while getopts b:p:n:s:e:r:o: option; do
    case $option in
    b) backend=$OPTARG ;; p) precision=$OPTARG ;; n) sizes=$OPTARG ;; o) out=$OPTARG ;;
    s) intervals=$OPTARG ;; r) runs=$OPTARG ;; e) every=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
md=${1:-md}
mkdir -p "$out" && cd "$out" || exit 3
csv=bench_md.csv

value() { sed -n "s/^ *\"$1\": \"*\([^\",]*\)\"*,*$/\1/p" report.json | head -1; }

# row CELLS STEPS OPTION...: the best of some runs.
row()
{
    local cells=$1 steps=$2 best=
    shift 2
    for _ in $(seq "$runs"); do
        "$md" --backend $backend --precision $precision --cells "$cells" --steps "$steps" \
            ${every:+--rebuild-every "$every"} --picture none --quiet --json report.json "$@" || exit
        local line
        line=$(awk -v n="$(value atoms)" -v s="$(value steps)" -v f="$(value force)" \
            -v b="$(value neighbor | tail -1)" -v l="$(value loop_s)" -v o="$(value ordering)" \
            -v i="$(value sort_every)" \
            -v r="$(value atom_steps_per_s)" -v so="$(value sort)" -v k="$neighbor" \
            -v nb="$(sed -n '/"loop_time_s"/,/}/s/.*"neighbor": \([^,]*\),/\1/p' report.json)" \
            'BEGIN { p = 1e9 / n / s
                     printf "%s,%s,%s,%d,%d,%.3f,%.3f,%.3f,%.3f,%.4g\n", k, o, i, n, s, f * p, nb * p,
                            so * p, l * p, r * 1e-6 }')
        if [ -z "$best" ] || awk -v a="${line##*,}" -v b="${best##*,}" 'BEGIN { exit !(a > b) }'
        then best=$line; fi
    done
    echo "$best" | tee -a $csv | tr , '\t'
}

header=neighbor,ordering,sort_every,atoms,steps,force_ns,neighbor_ns,sort_ns,total_ns,matom_steps_per_s
echo $header >$csv
echo $header | tr , '\t'
for neighbor in full half tile; do
    for ordering in none row-major morton hilbert; do
        for cells in $sizes; do
            # about the same work for every size, at least one rebuild
            steps=$((4000000 / (4 * cells ** 3) / 20 * 20))
            row "$cells" $((steps < 40 ? 40 : steps)) --neighbor $neighbor --ordering $ordering
        done
    done
done
neighbor=full
for interval in $intervals; do # 400 steps each: long enough to leave a bin
    row "${sizes##* }" 400 --neighbor full --ordering row-major --sort-every "$interval"
done

if [ "$(value backend)" = cpu ] && [ "$(value precision)" = f64 ] && command -v lmp >/dev/null; then
    for cells in $sizes; do
        cat >in.melt <<END
units lj
lattice fcc 0.8442
region box block 0 $cells 0 $cells 0 $cells
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify delay 0 every ${every:-1} check $([ "$every" ] && echo no || echo yes)
fix 1 all nve
thermo 100
run 100
END
        for _ in $(seq "$runs"); do
            mpirun --allow-run-as-root --oversubscribe -np "$(value threads)" \
                lmp -sf opt -in in.melt -log none
        done | awk -v n=$((4 * cells ** 3)) '/^Loop time/ { if (!t || $4 < t) t = $4 }
            END { if (t) printf "lammps\topt\t'${every:-1}'\t%d\t100\t\t\t\t%.3f\t%.4g\n", n, t * 1e7 / n, n / t * 1e-4 }'
    done | tee -a lammps.txt
    tr '\t' , <lammps.txt >>$csv
    rm -f lammps.txt in.melt
fi
rm -f report.json

command -v gnuplot >/dev/null || exit 0
gnuplot <<END
set terminal pngcairo size 1500,500
set output 'bench_md.png'
set datafile separator ','
set logscale x
set xlabel 'particles'
set ylabel 'ns per particle and step'
set yrange [0:*]
set key bottom left
set multiplot layout 1,3
do for [search in "full half tile"] {
    set title search
    plot for [o in "none row-major morton hilbert"] '$csv' \
        using (strcol(1) eq search && strcol(2) eq o && (\$3 == ${every:-1} || o eq "none") ? \$4 : NaN):9 with linespoints title o
}
END
