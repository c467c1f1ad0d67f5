#!/bin/sh
# A line of shots over folded layers with a fault, in two dimensions, as SEG-Y: a file for each and one of all.
# Usage: run.sh [BUILD [OPTION...]]      (options go to wave)
# Stop it with Ctrl-C and run it again: it does what is missing. Results go to the folder survey.
set -eu
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
mkdir -p survey
cd survey
"$build/make_model" --kind layers --size 600x1x150 --spacing 10 --output velocity.npy
{
    echo "shot,x,z,delay"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$i,$((1200 + 300 * i)),20,"; done
    echo "late,3000,20,0.1 # the source waits"
} >shots.csv
"$build/wave" --velocity velocity.npy --spacing 10 --boundary absorbing,z-=free --steps "${STEPS:-800}" \
    --survey shots.csv --receivers rel:-1000,0:1000,0:201 --aperture 300 \
    --traces 'shots/{shot}.sgy,all.sgy' "$@"
"$build/wave" --inspect all.sgy
