#!/bin/sh
# The collapse of a water column, in the plane and in space, beside two experiments.
# Usage: run.sh [BUILD [OPTION...]]      (options go to md)
# Pictures, fronts and gauges go to the folders 2d and 3d, the plot (gnuplot) to front.png.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
# SCALE=4 makes the spacings four times as wide (a quick look)
scale=${SCALE:-1}
spacing2=$(awk "BEGIN { print 0.1 * $scale / 40 }")
spacing3=$(awk "BEGIN { print 0.1 * ($scale > 2 ? 2 : $scale) / 19 }")
"$build/md" --model mps --dimensions 2 --spacing "$spacing2" --precision f32 --frame-every 10 \
    --gauges '0.4,0.005;0.4,0.05' --output 2d "$@"
"$build/md" --model mps --size small --spacing "$spacing3" --precision f32 --frame-every 10 \
    --gauges '0.4,0.005,0.04;0.4,0.05,0.04' --output 3d "$@"
if command -v gnuplot >/dev/null; then gnuplot -e "here='$here'" "$here/front.gp"; fi
