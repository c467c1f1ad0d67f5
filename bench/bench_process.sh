#!/bin/bash
# What a run takes from outside, beside its time loop: the process measured by the clock of the shell,
# the phases as the report tells them (time_s).
#
#     bench_process.sh [-l] [-b BACKEND] [-n SIZE] [-s STEPS] [-r RUNS] [-c CASES] [-o DIR] [BUILD...]
#
# BUILD: folders with wave, md and make_model (the first one's makes the model), by default the PATH's;
# of several, runs alternate, so that two builds are compared under the same load. SIZE: cells of the
# wave, 512x320x320 by default. -l: as large as a GPU deserves, 1024x1024x512 cells, 640 steps and ten
# million particles; with -r 1 that is quick. CASES: an expression that the names of the cases match. Writes
# DIR/bench_process.csv, a row for each case and build: the run of RUNS whose process was the shortest.
set -u
backend=auto size=512x320x320 steps=64 runs=3 cases=. out=.
cells=63 md_steps=50 dense=60,60,60 thin=120,120,120 dam=small dam_steps=100
while getopts lb:n:s:r:c:o: option; do
    case $option in
    l) size=1024x1024x512 steps=640 cells=160 md_steps=400 dense=236,236,236 thin=472,472,472 dam=large dam_steps=200 ;;
    b) backend=$OPTARG ;; n) size=$OPTARG ;; s) steps=$OPTARG ;; r) runs=$OPTARG ;;
    c) cases=$OPTARG ;; o) out=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- "$(dirname "$(command -v wave)")"
builds=()
for build in "$@"; do builds+=("$(realpath "$build")") || exit 3; done
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" && out=$(realpath "$out") && cd "$work" || exit 3
csv=$out/bench_process.csv
header=case,build,process_s,loop_s,start,read,check,upload,loop,output,exit
echo $header >"$csv"
printf '%-28s %9s %7s %9s %9s  %s\n' case process loop beyond ratio build

# member NAME: of the report, whatever its depth; 0 where there is none
member() { sed -n "s/^ *\"$1\": \([-0-9.e]*\),*$/\1/p" report.json | tail -1 | grep . || echo 0; }

# measure BUILD PROGRAM ARGUMENT...: a row without the name of the case
measure()
{
    local build=$1 begun ended loop phases= phase
    shift
    rm -rf run && mkdir run
    begun=$EPOCHREALTIME
    (cd run && "$build/$@" --backend "$backend" --quiet --json ../report.json) || exit
    ended=$EPOCHREALTIME
    loop=$(member compute_s)
    [ "$loop" != 0 ] || loop=$(member loop_s)
    for phase in start read check upload loop output exit; do
        phases=$phases,$(sed -n '/"time_s"/,/}/p' report.json | sed -n "s/^ *\"$phase\": \([-0-9.e]*\),*$/\1/p")
    done
    awk -v b="$begun" -v e="$ended" -v l="$loop" -v p="$phases" -v name="$build" \
        'BEGIN { printf "%s,%.3f,%.3f%s\n", name, e - b, l, p }'
}

# row NAME PROGRAM ARGUMENT...
row()
{
    local name=$1 build k best
    shift
    [[ $name =~ $cases ]] || return 0
    : >rows
    for k in $(seq "$runs"); do
        for build in "${builds[@]}"; do measure "$build" "$@" >>rows || exit; done
    done
    for build in "${builds[@]}"; do
        best=$(grep -F "$build," rows | sort -t, -k2,2g | head -1)
        echo "$name,$best" >>"$csv"
        awk -F, -v name="$name" '{ ratio = "-"; if ($3 > 0) ratio = sprintf("%.2f", $2 / $3)
            printf "%-28s %9.2f %7.2f %9.2f %9s  %s\n", name, $2, $3, $2 - $3, ratio, $1 }' <<<"$best"
    done
}

"${builds[0]}/make_model" --kind salt --size "$size" --output model.npy || exit
"${builds[0]}/wave" --size "$size" --steps 0 --initial noise --snapshot-every 0 --field first.npy --quiet || exit
last() { awk -v s="$size" -v a="$1" 'BEGIN { split(s, n, "x"); print (n[a] - 1) * 10 }'; }
grid="--size $size --steps $steps"
wave="$grid --order 8" second="$grid --order 2"
still="--snapshot-every 0"
model="--velocity $work/model.npy"
first="--source none --initial $work/first.npy"
noise="--source none --initial noise"
# anywhere between the nodes of all axes, 5 cells from the faces
awk -v s="$size" 'BEGIN { split(s, n, "x"); srand(1); OFS = ","; OFMT = "%.3f"
    for (i = 0; i < 10000; i++) { for (a = 1; a <= 3; a++) x[a] = 50 + (n[a] - 11) * 10 * rand(); print x[1], x[2], x[3] } }' \
    >scattered.csv
scattered="--receivers $work/scattered.csv"
head -100 scattered.csv | awk 'BEGIN { FS = OFS = "," } { print $1 + 3.3, $2 + 3.3, $3 + 3.3 }' >sources.csv
# in one plane, as on a beach: towers that meet it have receivers nearly everywhere
awk -v s="$size" 'BEGIN { split(s, n, "x"); OFS = ","; OFMT = "%.3f"
    for (i = 0; i < 10000; i++)
        print 50 + (n[1] - 11) * (i % 100 + 0.5) / 10, 50 + (n[2] - 11) * (int(i / 100) + 0.5) / 10, 5 * n[3] + 3.3 }' \
    >plane.csv
line="--receivers 0,0,10:$(last 1),$(last 2),10:10000"
row point,order-2 wave $second $still
row point wave $wave $still
row velocity,order-2 wave $second $still $model
row velocity wave $wave $still $model
row velocity,receivers wave $wave $still $model $line --traces t.npy
row initial-file,order-2 wave $second $still $first
row initial-file wave $wave $still $first
row noise,order-2 wave $second $still $noise
row noise wave $wave $still $noise
row velocity,noise wave $wave $still $noise $model
row field,order-2 wave $second $still --field u.npy
row field wave $wave $still --field u.npy
for every in 10 16 64 128; do
    [ $every -le "$steps" ] || continue
    row picture-every-$every,order-2 wave $second --snapshot-every $every
    row picture-every-$every wave $wave --snapshot-every $every
done
row receivers,order-2 wave $second $still $line --traces t.npy
row receivers wave $wave $still $line --traces t.npy
row receivers,scattered,order-2 wave $second $still $scattered --traces t.npy
row receivers,scattered wave $wave $still $scattered --traces t.npy
row receivers,plane,order-2 wave $second $still --receivers "$work/plane.csv" --traces t.npy
row receivers,plane wave $wave $still --receivers "$work/plane.csv" --traces t.npy
row sources,scattered,order-2 wave $second $still --source "$work/sources.csv"
row sources,scattered wave $wave $still --source "$work/sources.csv"
row sources,receivers,scattered,order-2 wave $second $still --source "$work/sources.csv" $scattered --traces t.npy
row sources,receivers,scattered wave $wave $still --source "$work/sources.csv" $scattered --traces t.npy
row receivers,scattered,linear wave $wave $still $scattered --traces t.npy --interpolation trilinear
row receivers,picture wave $wave $still $line --traces t.npy,t.png
row dry-run wave $wave $model --dry-run
row melt md --cells $cells --steps $md_steps --picture none
row melt,picture md --cells $cells --steps $md_steps
granular="--model granular --temperature 0.04 --steps 500 --thermo 0 --picture none"
row granular-40% md $granular --size $dense --filling 0.4
row granular-5% md $granular --size $thin --filling 0.05
row dam-break md --model mps --size $dam --steps $dam_steps --picture none
