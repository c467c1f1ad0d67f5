#!/bin/bash
# Main-memory bytes per update of the kernels of wave, as Nsight Compute counts them.
# Usage: bench/ncu_bytes.sh WAVE SWEEP.csv >bytes.csv;  roofline --resume --measured bytes.csv
# Profiles the best towers of each order and the stepwise engine of a sweep (ncu needs permission to
# read the counters of the GPU). The kernels that set and read the fields are left out by their name.
wave=${1:?usage: ncu_bytes.sh WAVE SWEEP.csv}
sweep=${2:?usage: ncu_bytes.sh WAVE SWEEP.csv}
size=512
echo order,engine,dts,tower_height,ordering,bytes_per_update
grep ',timed,' "$sweep" | sort -t, -k1,1n -k2,2 -k8,8gr | awk -F, '!seen[$1 $2]++' |
    while IFS=, read -r order engine dts height ordering precision _; do
        steps=$height
        [ "$engine" = stepwise ] && steps=4
        bytes=$(TORRE_TUNE=off timeout 60 ncu --clock-control none --csv --page raw --print-units base \
            --metrics dram__bytes_read.sum,dram__bytes_write.sum \
            --kernel-name 'regex:tower|stepwise' \
            "$wave" --quiet --backend cuda --engine "$engine" --order "$order" --size $size \
            --steps "$steps" --precision "$precision" --ordering "$ordering" --source none \
            --initial noise --snapshot-every 0 --output . \
            $([ "$engine" = torre ] && echo --dts "$dts" --tower-height "$height") |
            awk -F'","' '/^"ID"/ {for (k = 1; k <= NF; k++) if ($k ~ /^dram__bytes_(read|write).sum/) of[k]}
                         /^"[0-9]/ {for (k in of) {gsub(/[",]/, "", $k); sum += $k}}
                         END {printf "%.0f", sum}')
        awk -v b="$bytes" -v n=$size -v s="$steps" -v k="$order,$engine,$dts,$height,$ordering" \
            'BEGIN {if (b > 0) printf "%s,%.4f\n", k, b / n / n / n / s}'
    done
