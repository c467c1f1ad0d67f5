#!/bin/sh
# A granular gas: shaken between two walls, and cooling by itself.
# Usage: run.sh [BUILD [OPTION...]]      (options go to md)
#   shaken   a box of EDGExEDGEx10 diameters (EDGE=64), 50 Hz, 1.8 diameters, STEPS steps (20000,
#            one and a half periods): table, height profile, picture
#   cooling  a periodic cube at 10 % filling, e = 0.8, 3 STEPS: the table beside Haff's law
# Everything goes to the folder granular.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
edge=${EDGE:-64}
steps=${STEPS:-20000}
mkdir -p granular
cd granular
"$build/md" --model granular --size "$edge,$edge,10" --filling 0.2 --walls --gravity 9.81 \
    --shake-amplitude 1.8 --shake-frequency 50 --restitution 0.8 --wall-restitution 0.9 \
    --steps "$steps" --thermo $((steps / 100)) --csv shaken.csv --profile height.csv \
    --profile-every $((steps / 200)) --picture shaken.png "$@"
"$build/md" --model granular --size "$((edge / 3)),$((edge / 3)),$((edge / 3))" --filling 0.1 \
    --restitution 0.8 --temperature 0.04 --steps $((3 * steps)) --thermo $((steps / 50)) \
    --csv cooling.csv --picture none "$@"
command -v gnuplot >/dev/null || exit 0
gnuplot "$here/plot.gp"
