#!/bin/sh
# A dam breaks onto a box (SPHERIC test 2): heights and pressures beside the experiment.
# Usage: run.sh [BUILD [OPTION...]]      (options go to md)
# SPACING=0.05 m between particles and TIME=2 s, of the experiment's 6; everything goes to the folder spheric2.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
mkdir -p spheric2
cd spheric2
# From the wall behind the water on, where the test has the other one at x = 0. H1 to H3 are 0.504, 1 and 1.496 m
# in front of the gate, H4 is in the reservoir; P1 to P4 on the front of the box, P5 to P8 on its top.
"$build/md" --model mps --tank 3.22,1,1 --side-walls --spacing "${SPACING:-0.05}" --precision f32 \
    --water 0,0,0:1.228,0.55,1 --obstacle 2.3955,0,0.295:2.5565,0.161,0.698 \
    --time "${TIME:-2}" --thermo "${THERMO:-4}" --front none --output . \
    --height-gauges '1.732,0.5;2.228,0.5;2.724,0.5;0.582,0.5' \
    --pressure-probes '2.3955,0.021,0.471;2.3955,0.061,0.471;2.3955,0.101,0.471;2.3955,0.141,0.471;2.4165,0.161,0.471;2.4565,0.161,0.471;2.4965,0.161,0.471;2.5365,0.161,0.471' \
    "$@"
if command -v python3 >/dev/null; then python3 "$here/compare.py" .; fi
if command -v gnuplot >/dev/null; then gnuplot -e "here='$here'" "$here/plot.gp"; fi
