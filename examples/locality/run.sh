#!/bin/sh
# Regenerate the figures and tables on orderings and locality of the two sources (README.md).
#
#     run.sh [-b BUILD_FOLDER] [-o OUTPUT_FOLDER] [NAME...]
#
# Without names everything is made (some minutes). `run.sh list` tells the names: md_* are figures
# and tables of Al-Kharusi and Walker, gas_* those of the thesis on granular gases. Every figure is a
# CSV file, a gnuplot script beside it and, where gnuplot is installed, a PNG.
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
out=locality-figures
while getopts b:o: option; do
    case $option in
    b) build=$OPTARG ;;
    o) out=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
PATH=$(cd "$build" 2>/dev/null && pwd):$PATH
if [ "$1" != list ] && ! command -v locality >/dev/null; then
    echo "run.sh: no program locality in $build (give the build folder with -b)" >&2
    exit 2
fi

three=row-major,morton,hilbert

# series FILE X Y XLABEL YLABEL [SETTINGS]: plot FILE.csv, whose first column names the curve.
# The rows of a curve must stand together, or its line falls apart.
series() {
    awk -F, -v file="$1.csv" 'NR > 1 && $1 != last && seen[$1]++ {
            print "run.sh: " file ": rows of " $1 " in two places"; bad = 1 }
        { last = $1 } END { exit bad }' "$1.csv" >&2 || return 1
    cat >"$1.gp" <<END
# gnuplot $1.gp, in this folder
set terminal pngcairo size 1000,640
set output '$1.png'
set datafile separator ','
set grid
set key outside right
set xlabel '$4'
set ylabel '$5'
$6
names = "$(awk -F, 'NR > 1 && !seen[$1]++ { printf "%s ", $1 }' "$1.csv")"
plot for [name in names] '$1.csv' using (strcol(1) eq name ? \$$2 : NaN):$3 \\
    with ${style:-linespoints} title name
END
    if command -v gnuplot >/dev/null; then gnuplot "$1.gp" || return 1; fi
    echo "  $1"
}

curve() { # NAME ORDERING SIZE
    locality curve --ordering "$2" --size "$3" --plot "$1.png" --csv "$1.csv" --quiet &&
        echo "  $1"
}

# --- Al-Kharusi and Walker -------------------------------------------------------------------

md_fig01() { curve md_fig01 hilbert 8x8; }
md_fig02() { curve md_fig02 hilbert 4; }
md_fig03() {
    curve md_fig03_level0 row-major 8x8
    curve md_fig03_level1 hybrid:row-major/row-major/4 8x8
    curve md_fig03_level2 morton 8x8
}
md_fig04() { curve md_fig04 morton 4; }

md_table2() {
    echo "reach,bins,deviation_percent" >md_table2.csv
    for g in 1 2 3 4 5 6 7 8 9; do
        locality stencil --stencil spherical --reach $g | awk 'NR == 2 { print $1 "," $2 "," $4 }'
    done >>md_table2.csv
    echo "  md_table2"
}

md_fig05() {
    locality offsets --ordering row-major --size 16 --reach 1 --csv md_fig05.csv --quiet
    echo "  md_fig05"
}

offsets_figure() { # NAME REACH LIMIT
    locality offsets --ordering $three --size 16 --reach $2 --csv $1.csv --quiet
    style=points series $1 2 3 'memory offset, bins' 'accumulated number' \
        "set xrange [-$3:$3]; set pointsize 0.6"
}
md_fig06() { offsets_figure md_fig06 1 299; }
md_fig07() { offsets_figure md_fig07 3 899; }

cumulative_figure() { # NAME REACH
    limits=$(seq -s, 99 100 1999)
    echo "ordering,within,fraction" >$1.csv
    for ordering in row-major morton hilbert; do
        locality offsets --ordering $ordering --size 16 --reach $2 --within $limits --json - |
            awk -v name=$ordering -F'[:,]' '/"limit"/ { limit = $2 + 0 }
                /"fraction"/ { printf "%s,%d,%.6f\n", name, limit, $2 }'
    done >>$1.csv
    series $1 2 3 'memory offset up to, bins' 'cumulative fraction' 'set yrange [0:1.05]'
}
md_fig08() { cumulative_figure md_fig08 1; }
md_fig09() { cumulative_figure md_fig09 3; }

misses_figure() { # NAME M STENCIL REACH BLOCK
    locality cache --ordering $three --size $2 --stencil $3 --reach $4 --block $5 --csv $1.csv --quiet
    style=steps series $1 2 4 'cache capacity, blocks' 'miss rate' 'set logscale xy'
}
md_fig10() { misses_figure md_fig10 32 block 1 2; }
md_fig11() { misses_figure md_fig11 32 block 1 8; }
md_fig12() { misses_figure md_fig12 32 spherical 3 8; }
md_fig13() { misses_figure md_fig13 64 block 1 8; }

md_fig14() {
    locality stencil --stencil spherical --reach 2 --half --csv md_fig14.csv --quiet
    cat >md_fig14.gp <<'END'
set terminal pngcairo size 1000,400
set output 'md_fig14.png'
set datafile separator ','
set multiplot layout 1,3 title 'half of the approximately spherical stencil, g = 2'
set xrange [-2.8:2.8]; set yrange [-2.8:2.8]; set size square; set grid
do for [k = 0:2] {
    set title sprintf('iz = %d', k)
    plot 'md_fig14.csv' using ($3 == k ? $1 : NaN):2 with points pt 5 ps 3 notitle
}
unset multiplot
END
    if command -v gnuplot >/dev/null; then gnuplot md_fig14.gp; fi
    echo "  md_fig14"
}

# --- thesis on granular gases ----------------------------------------------------------------

iterations() { # NAME ORDERING SIZE...
    name=$1
    ordering=$2
    shift 2
    for size in "$@"; do curve ${name}_$size $ordering $size; done
}
gas_fig4_1() { iterations gas_fig4_1 hilbert 2x2 4x4 8x8 16x16; }
gas_moore() { iterations gas_moore moore 2x2 4x4 8x8 16x16; }
gas_fig4_2() { iterations gas_fig4_2 peano 3x3 9x9 27x27 81x81; }
gas_fig4_3() { iterations gas_fig4_3 z 2x2 4x4 8x8 16x16; }
gas_fig4_5() { iterations gas_fig4_5 turtle 2 4 8 16; }
gas_fig4_6() { curve gas_fig4_6 pancake 64x64x8; }

# Hit ratio and speedup of two-dimensional curves over the filling, HEIGHT bins of one diameter.
plane_figure() { # NAME_RATIO NAME_SPEEDUP HEIGHT
    echo "ordering,filling,hit_ratio,speedup" >$1.csv
    for filling in 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5; do
        locality hits --ordering row-major,morton,hilbert,moore --size 256x256 --height $3 \
            --filling $filling --cache 320 --cost 100 --csv - |
            awk -F, -v f=$filling 'NR > 1 { print $1 "," f "," $3 "," $4 }'
        locality hits --ordering peano --size 243x243 --height $3 --filling $filling --cache 320 \
            --cost 100 --csv - | awk -F, -v f=$filling 'NR > 1 { print "peano," f "," $2 "," $3 }'
    done | sort -s -t, -k1,1 >>$1.csv # a curve's rows together: a gap would cut its line
    cp $1.csv $2.csv
    series $1 2 3 'filling fraction' 'cache-hit probability' 'set yrange [0:1]'
    series $2 2 4 'filling fraction' 'speedup of memory access' 'set yrange [0:*]'
}
gas_fig5_3() { plane_figure gas_fig5_3 gas_fig5_4 1; }
gas_fig5_5() { plane_figure gas_fig5_5 gas_fig5_6 10; }

# The decay for several runs of locality hits: "LABEL=ARGUMENTS" each.
decay_figure() { # NAME ARGUMENTS RUN...
    name=$1
    common=$2
    shift 2
    echo "run,step,hit_ratio" >$name.csv
    for run in "$@"; do
        # shellcheck disable=SC2086 # arguments are split on purpose
        locality hits $common ${run#*=} --csv - |
            awk -F, -v label="${run%%=*}" 'NR > 1 { print label "," $1 "," $2 }'
    done >>$name.csv
    style=lines series $name 2 3 'steps since the reorder' 'cache-hit ratio' 'set yrange [0:1]'
}
velocity_figure() { # NAME FILLING
    decay_figure $1 "--size 32 --gas ideal --filling $2 --steps 1000 --every 20" \
        "0.001d=--speed 0.001" "0.003d=--speed 0.003" "0.01d=--speed 0.01" \
        "0.03d=--speed 0.03" "0.1d=--speed 0.1"
}
gas_fig5_7() { velocity_figure gas_fig5_7 0.1; }
gas_fig5_8() { velocity_figure gas_fig5_8 0.5; }

gas_fig5_9() {
    echo "filling,size,hit_ratio" >gas_fig5_9.csv
    for filling in 0.05 0.1 0.25 0.5; do
        for size in 8 12 16 24 32 48 64 96; do
            locality hits --ordering turtle --size $size --filling $filling --csv - |
                awk -F, -v f=$filling -v n=$size 'NR > 1 { print f "," n "," $2 }'
        done
    done >>gas_fig5_9.csv
    series gas_fig5_9 2 3 'system size, bins along each axis' 'cache-hit ratio' 'set yrange [0:1]'
}

kinds() { # NAME SIZE STEPS EVERY
    decay_figure $1 "--ordering turtle --size $2 --filling 0.25 --speed 0.02 --steps $3 --every $4" \
        "ideal=--gas ideal" "elastic=--gas elastic" "inelastic=--gas inelastic"
}
gas_fig5_10() { kinds gas_fig5_10 24 2000 40; }
gas_fig5_11() { kinds gas_fig5_11 24 20000 400; }
gas_fig5_12() {
    decay_figure gas_fig5_12 \
        "--ordering turtle --gas elastic --filling 0.25 --speed 0.02 --steps 2000 --every 40" \
        "16=--size 16" "24=--size 24" "32=--size 32" "48=--size 48"
}

gas_fig5_13() {
    for cache in 33125 256; do
        for ordering in none row-major hilbert; do
            locality hits --ordering $ordering --size 512x512 --filling 0.25 --cache $cache \
                --map gas_fig5_13_${cache}_$ordering.png --quiet &&
                echo "  gas_fig5_13_${cache}_$ordering"
        done
    done
}

all="md_fig01 md_fig02 md_fig03 md_fig04 md_fig05 md_table2 md_fig06 md_fig07 md_fig08 md_fig09
md_fig10 md_fig11 md_fig12 md_fig13 md_fig14 gas_fig4_1 gas_moore gas_fig4_2 gas_fig4_3 gas_fig4_5
gas_fig4_6 gas_fig5_3 gas_fig5_5 gas_fig5_7 gas_fig5_8 gas_fig5_9 gas_fig5_10 gas_fig5_11
gas_fig5_12 gas_fig5_13"
if [ "$1" = list ]; then
    echo $all
    exit 0
fi
for name in "$@"; do
    case " $(echo $all) " in
    *" $name "*) ;;
    *)
        echo "run.sh: no figure $name (run.sh list tells the names)" >&2
        exit 2
        ;;
    esac
done
mkdir -p "$out" && cd "$out" || exit 3
echo "writing to $(pwd)"
for name in ${*:-$all}; do
    $name || exit 1
done
