#!/bin/sh
# The Lennard-Jones liquid near its triple point: g(r), diffusion and viscosity in boxes of two sizes.
# Usage: run.sh [BUILD [OPTION...]]      (options go to md)
# 500 particles for 3 STEPS (STEPS=100000), 2048 for STEPS, 10,000 steps before (FROM=10000). Everything goes to the
# folder liquid; diffusion.csv has what a box of that size gives, and corrected for its size.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
steps=${STEPS:-100000}
from=${FROM:-10000}
mkdir -p liquid
cd liquid
liquid="--temperature 1.44 --target-temperature 0.722 --ensemble bussi --damping 5 --measure-from $from
    --correlation-window ${WINDOW:-3000} --correlation-origins 20 --thermo 1000 --backend cpu --picture none"
"$build/md" --cells 5 $liquid --steps $((from + 3 * steps)) --csv 500.csv --msd msd_500.csv \
    --viscosity viscosity.csv --json 500.json "$@"
"$build/md" --cells 8 $liquid --steps $((from + steps)) --csv 2048.csv --msd msd_2048.csv \
    --vacf vacf.csv --rdf rdf.csv --json 2048.json "$@"

# D of an infinite box is D + 2.837297 T / (6 pi eta L) (Yeh and Hummer 2004)
number() { awk -F'[:,]' -v name="\"$2\"" 'index($1, name) { print $2 + 0; exit }' "$1"; }
viscosity=$(number 500.json viscosity)
echo "particles,temperature,diffusion,viscosity,corrected" >diffusion.csv
for n in 500 2048; do
    awk -F, -v n=$n -v from="$from" -v eta="$viscosity" -v d="$(number $n.json diffusion_msd)" '
        NR > 1 && $1 >= from { t += $2; rows++ }
        END { if (!rows) exit
              t /= rows; l = (n / 0.8442)^(1 / 3)
              printf "%d,%.4f,%.5f,%.3f,%.5f\n", n, t, d, eta, d + 2.837297 * t / (6 * 3.14159265 * eta * l) }' $n.csv
done >>diffusion.csv
command -v gnuplot >/dev/null || exit 0
gnuplot "$here/plot.gp"
