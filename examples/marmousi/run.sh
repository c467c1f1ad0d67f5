#!/bin/sh
# A shot into a two-dimensional velocity model of your own, such as Marmousi (1601 x 401 values,
# 7.5 m apart): a .npy file of shape (nx, nz), m/s, z downwards. The waves are two-dimensional, too;
# run_3d.sh beside this lets them spread along y.
# Usage: run.sh MODEL.npy [SPACING [BUILD [OPTION...]]]      (options go to wave)
#   SPACING  metres between the values of the model; default 7.5
#   EVERY=2  (environment) use every second value: 4 times fewer cells, 8 times less work
# Pictures, traces and the seismogram go to the folder marmousi.
set -eu
model=$(realpath "${1:?a velocity model, MODEL.npy, is needed}")
h=${2:-7.5}
build=$(cd "${3:-build}" && pwd)
shift $(($# < 3 ? $# : 3))
every=${EVERY:-1}

mkdir -p marmousi
"$build/make_model" --kind thin --input "$model" --every "$every" --output marmousi/velocity.npy
# cells, and metres along x, of the thinned model
shape=$("$build/make_model" --kind info --input marmousi/velocity.npy)
nx=${shape%x*}
width=${WIDTH:-8}
number() { awk "BEGIN { printf \"%.10g\", $1 }"; }
step=$(number "$h * $every")
end=$(number "($nx - 1 - $width) * $step")
begin=$(number "$width * $step")

"$build/wave" --velocity marmousi/velocity.npy --spacing "$step" \
    --boundary absorbing,z-=free --absorbing-width "$width" --order 8 \
    --source "$(number "int(0.5 * $nx) * $step"),$(number "2 * $step")" --frequency "${FREQUENCY:-9}" \
    --receivers "$begin,$step:$end,$step:$((nx - 2 * width))" \
    --steps "${STEPS:-4800}" --snapshot-every "${SNAPSHOT_EVERY:-800}" --output marmousi \
    --traces marmousi/shot.npy,marmousi/shot.png "$@"
