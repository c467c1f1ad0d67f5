#!/bin/sh
# A shot into a two-dimensional velocity model of your own, such as Marmousi (1601 x 401 values,
# 7.5 m apart): a .npy file of shape (nx, nz), m/s, z downwards. It is extended along y, so the waves
# are three-dimensional.
# Usage: run.sh MODEL.npy [SPACING [BUILD [OPTION...]]]      (options go to wave)
#   SPACING  metres between the values of the model; default 7.5
#   EVERY=2  (environment) use every second value: 8 times fewer cells, 16 times less work
# Pictures, traces and the seismogram go to the folder marmousi.
set -eu
model=$(realpath "${1:?a velocity model, MODEL.npy, is needed}")
h=${2:-7.5}
build=$(cd "${3:-build}" && pwd)
shift $(($# < 3 ? $# : 3))
every=${EVERY:-2}

mkdir -p marmousi
"$build/make_model" --kind thin --input "$model" --every "$every" --output marmousi/velocity.npy
# cells, and metres along x, of the thinned model
shape=$("$build/make_model" --kind info --input marmousi/velocity.npy)
nx=${shape%x*}
nz=${shape#*x}
ny=${NY:-72}
width=20
number() { awk "BEGIN { printf \"%.10g\", $1 }"; }
step=$(number "$h * $every")
x=$(number "int(0.5 * $nx) * $step")
y=$(number "int(0.5 * $ny) * $step")
end=$(number "($nx - 1 - $width) * $step")
begin=$(number "$width * $step")

"$build/wave" --velocity marmousi/velocity.npy --size "${nx}x${ny}x${nz}" --spacing "$step" \
    --boundary absorbing,z-=free --absorbing-width $width --order 8 \
    --source "$x,$y,$(number "2 * $step")" --frequency "${FREQUENCY:-9}" \
    --receivers "$begin,$y,$step:$end,$y,$step:$((nx - 2 * width))" \
    --steps "${STEPS:-2400}" --snapshot-every "${SNAPSHOT_EVERY:-400}" --output marmousi \
    --traces marmousi/shot.npy,marmousi/shot.png "$@"
