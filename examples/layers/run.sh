#!/bin/sh
# Two velocity models that this repository makes itself, and a shot into each.
# Usage: run.sh [BUILD [OPTION...]]      (options go to wave)
#   layers  folded layers with a fault, 2-D (x, z), the same for every y
#   salt    a salt body below sediments, 3-D
# Pictures, seismograms and traces go to the folders layers and salt.
set -eu
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
# 3000 m x 1200 m x 1500 m in cells of $h metres; SCALE=4 makes them four times as wide (a quick look)
scale=${SCALE:-1}
h=$((10 * scale))
size=$((300 / scale))x$((120 / scale))x$((150 / scale))
width=${WIDTH:-8} # of the absorbing layers
begin=$((width * h)) end=$((3000 - h - width * h))
shot="--order 8 --boundary absorbing,z-=free --absorbing-width $width --source 900,600,40
    --receivers $begin,600,20:$end,600,20:141"

for kind in layers salt; do
    mkdir -p $kind
    "$build/make_model" --kind $kind --size $size --spacing $h --output $kind/velocity.npy
    "$build/wave" --velocity $kind/velocity.npy --size $size --spacing $h $shot \
        --steps $((1000 / scale)) --snapshot-every $((200 / scale)) --output $kind \
        --traces $kind/shot.npy,$kind/shot.png "$@"
done
