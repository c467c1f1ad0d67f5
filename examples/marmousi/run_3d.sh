#!/bin/sh
# The shot of run.sh with waves that spread along y, too, where the model stays the same: a grid of
# NY cells along y between absorbing faces, and one of twice as many, whose traces tell how much of
# those of the first comes from its sides.
# Usage: run_3d.sh MODEL.npy [SPACING [BUILD [OPTION...]]]      (options go to wave)
#   SPACING  metres between the values of the model; default 7.5
#   EVERY=4  (environment) use every fourth value
#   NY=100   cells along y; receivers lie up to REACH=100 cells from the source. (With Marmousi the traces of
#            100 and 200 cells differ by 0.0012 %.)
# Traces and seismograms go to the folders marmousi_3d and marmousi_3d_wide.
set -eu
model=$(realpath "${1:?a velocity model, MODEL.npy, is needed}")
h=${2:-7.5}
build=$(cd "${3:-build}" && pwd)
shift $(($# < 3 ? $# : 3))
every=${EVERY:-4}
width=${WIDTH:-8}
reach=${REACH:-100}
number() { awk "BEGIN { printf \"%.10g\", $1 }"; }
step=$(number "$h * $every")

shoot() # FOLDER NY [OPTION...]
{
    folder=$1 ny=$2
    shift 2
    mkdir -p "$folder"
    "$build/make_model" --kind thin --input "$model" --every "$every" --output "$folder/velocity.npy"
    shape=$("$build/make_model" --kind info --input "$folder/velocity.npy")
    nx=${shape%x*} nz=${shape#*x} middle=$((ny / 2))
    y=$(number "$middle * $step")
    from=$(number "int(0.5 * $nx - $reach) * $step")
    to=$(number "int(0.5 * $nx + $reach) * $step")
    "$build/wave" --velocity "$folder/velocity.npy" --size "${nx}x${ny}x$nz" --spacing "$step" \
        --boundary absorbing,z-=free --absorbing-width "$width" --order 8 \
        --source "$(number "int(0.5 * $nx) * $step"),$y,$(number "2 * $step")" --frequency "${FREQUENCY:-4.5}" \
        --receivers "$from,$y,$step:$to,$y,$step:$((2 * reach + 1))" --steps "${STEPS:-1200}" \
        --snapshot-every 0 --traces "$folder/shot.npy,$folder/shot.png" "$@"
}

narrow=${NY:-100} wide=$((2 * ${NY:-100}))
shoot marmousi_3d "$narrow" "$@"
shoot marmousi_3d_wide "$wide" "$@"
printf 'sides      traces of %d and %d cells along y differ by ' "$narrow" "$wide"
"$build/make_model" --kind difference --input marmousi_3d/shot.npy --other marmousi_3d_wide/shot.npy
