#!/bin/sh
# The front of a collapse in the plane at three spacings, each half of the one before, and the order with which it
# converges: that by which the mean difference of two fronts falls from the first two to the last two.
# Usage: convergence.sh [BUILD [OPTION...]]      (options go to md)
# SPACING=0.0025 m is the finest; fronts go to the folders front_1 (the coarsest), front_2 and front_3.
set -eu
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
for k in 1 2 3; do
    spacing=$(awk "BEGIN { print ${SPACING:-0.0025} * 2 ^ (3 - $k) }")
    "$build/md" --model mps --dimensions 2 --spacing "$spacing" --time 0.19 --picture none --quiet \
        --output front_$k "$@"
done
# x/L over t sqrt(2g/L), from 0.5 to 2.5; between rows along a line
awk -F, '
    FNR == 1 { run++; rows[run] = 0; next }
    { n = ++rows[run]; x[run, n] = $3; t[run, n] = $4 }
    function front(run, time,  i) {
        for (i = 2; i < rows[run] && t[run, i] < time; i++) ;
        return x[run, i - 1] + (x[run, i] - x[run, i - 1]) * (time - t[run, i - 1]) / (t[run, i] - t[run, i - 1])
    }
    END {
        print "t*sqrt(2g/L),x1/L,x2/L,x3/L"
        for (k = 0; k <= 40; k++) {
            for (run = 1; run <= 3; run++) at[run] = front(run, 0.5 + k / 20)
            first += (at[1] > at[2] ? at[1] - at[2] : at[2] - at[1]) / 41
            last += (at[2] > at[3] ? at[2] - at[3] : at[3] - at[2]) / 41
            if (k % 10 == 0) printf "%.2f,%.4f,%.4f,%.4f\n", 0.5 + k / 20, at[1], at[2], at[3]
        }
        printf "# mean differences %.4f and %.4f: order %s\n", first, last,
            (first > 0 && last > 0) ? sprintf("%.2f", log(first / last) / log(2)) : "none"
    }' front_1/front.csv front_2/front.csv front_3/front.csv
