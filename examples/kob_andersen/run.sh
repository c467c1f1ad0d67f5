#!/bin/sh
# The mixture of Kob and Andersen (Phys. Rev. E 51 (1995) 4626), of four large particles to a small one, at two
# temperatures: g(r) of each two types, displacements, and the last state for OVITO.
# Usage: run.sh [BUILD [OPTION...]]      (options go to md)
# STEPS=20000 are measured after FROM=10000, of 4 CELLS^3 particles (CELLS=8). Everything goes to the folder kob_andersen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
steps=${STEPS:-20000}
from=${FROM:-10000}
mkdir -p kob_andersen
cd kob_andersen
pairs="1-1 epsilon=1 sigma=1 cutoff=2.5; 1-2 epsilon=1.5 sigma=0.8 cutoff=2; 2-2 epsilon=0.5 sigma=0.88 cutoff=2.2"
for temperature in 1.0 0.5; do
    "$build/md" --cells "${CELLS:-8}" --density 1.2 --types 80:20 --pairs "$pairs" --shift --temperature 2 \
        --target-temperature $temperature --ensemble bussi --steps $((from + steps)) --measure-from "$from" \
        --correlation-window "${WINDOW:-10000}" --rdf rdf_$temperature.csv --rdf-range 3 --msd msd_$temperature.csv \
        --thermo 1000 --csv $temperature.csv --dump end_$temperature.xyz --picture none --backend cpu "$@"
done
command -v gnuplot >/dev/null || exit 0
gnuplot "$here/plot.gp"
