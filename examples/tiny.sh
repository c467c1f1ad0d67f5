#!/bin/sh
# An example in a tiny form, in a folder that is removed again: tiny.sh EXAMPLE BUILD.
# It must run through without a word on standard error, and leave the files it promises.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
example=$1
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'cat "$work/errors" >&2; rm -rf "$work"' EXIT
cd "$work"
case $example in
first_run)
    "$here/first_run/run.sh" "$build" --size 24x24x16 --steps 20 2>errors
    files="first_run/snapshot_000020.png" ;;
layers)
    SCALE=10 WIDTH=2 "$here/layers/run.sh" "$build" 2>errors
    files="layers/snapshot_000100.png layers/shot.npy layers/shot.png salt/velocity.npy salt/shot.png" ;;
survey)
    STEPS=50 "$here/survey/run.sh" "$build" 2>errors
    STEPS=50 "$here/survey/run.sh" "$build" 2>>errors
    files="survey/all.sgy survey/shots/12.sgy survey/shots/survey.jsonl" ;;
granular)
    EDGE=12 STEPS=200 "$here/granular/run.sh" "$build" --backend cpu --quiet 2>errors
    files="granular/shaken.csv granular/height.csv granular/shaken.png granular/cooling.csv" ;;
liquid)
    STEPS=100 FROM=100 WINDOW=50 "$here/liquid/run.sh" "$build" --quiet 2>errors
    files="liquid/rdf.csv liquid/vacf.csv liquid/msd_2048.csv liquid/viscosity.csv liquid/diffusion.csv" ;;
kob_andersen)
    STEPS=100 FROM=100 WINDOW=50 CELLS=6 "$here/kob_andersen/run.sh" "$build" --quiet 2>errors
    files="kob_andersen/rdf_0.5.csv kob_andersen/msd_1.0.csv kob_andersen/end_0.5.xyz" ;;
marmousi)
    "$build/make_model" --kind layers --size 160x1x60 --spacing 20 --output model.npy
    STEPS=50 SNAPSHOT_EVERY=50 EVERY=2 WIDTH=8 FREQUENCY=4 "$here/marmousi/run.sh" model.npy 20 "$build" 2>errors
    STEPS=50 EVERY=4 WIDTH=4 REACH=10 NY=16 FREQUENCY=2 "$here/marmousi/run_3d.sh" model.npy 20 "$build" 2>>errors
    files="marmousi/velocity.npy marmousi/snapshot_000050.png marmousi/shot.npy marmousi/shot.png
        marmousi_3d/shot.npy marmousi_3d_wide/shot.png" ;;
strip)
    command -v ffmpeg >/dev/null || { echo "no ffmpeg here"; touch errors; exit 77; }
    "$build/make_model" --kind layers --size 160x1x60 --spacing 20 --output model.npy
    SHARE=0.02 "$here/strip/run.sh" model.npy "$build" --threads 1 2>errors
    files="strip/strip.png strip/run.html"
    [ "$(od -An -j16 -N8 -tu1 strip/strip.png | tr -s ' ')" = ' 0 0 4 16 0 0 0 200' ] || { echo "no strip of 1040x200"; exit 1; } ;;
dam_break)
    SCALE=4 "$here/dam_break/run.sh" "$build" --steps 200 --thermo 20 2>errors
    SPACING=0.01 "$here/dam_break/convergence.sh" "$build" --steps 100 >convergence 2>>errors
    files="2d/front.csv 2d/gauges.csv 2d/dam_break.png 2d/frame_0001.png 3d/front.csv 3d/frame_0001.png
        convergence front_3/front.csv" ;;
spheric2)
    SPACING=0.1 TIME=0.05 "$here/spheric2/run.sh" "$build" 2>errors
    files="spheric2/heights.csv spheric2/probes.csv spheric2/dam_break.png" ;;
esac
for file in $files; do
    [ -s "$file" ] || { echo "tiny: $example left no $file"; exit 1; }
done
[ ! -s errors ]
