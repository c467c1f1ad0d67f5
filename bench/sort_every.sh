#!/bin/bash
# --sort-every auto against fixed intervals: a melt, a granular gas and a dam break, one thread.
#
#     sort_every.sh [-n ROUNDS] [-s STEPS] MD
#
# Settings take turns, the least processor time of a setting counts: other programs disturb that
# least. CSV to standard output; ratio: time over that of the best fixed interval of the model.
set -u
rounds=3 steps=1000
while getopts n:s: option; do
    case $option in
    n) rounds=$OPTARG ;; s) steps=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || { echo "usage: sort_every.sh [-n ROUNDS] [-s STEPS] MD" >&2; exit 2; }
md=$1
TIMEFORMAT=%U

# seconds COMMAND...: of the processor.
seconds() { { time "$@" >/dev/null 2>&1; } 2>&1; }

common="--backend cpu --threads 1 --picture none --quiet"
declare -A run=(
    [melt]="$md $common --cells 24 --thermo 0 --steps $steps"
    [granular]="$md $common --model granular --size 40,40,40 --filling 0.3 --thermo 0 --steps $steps"
    [dam]="$md $common --model mps --size small --steps $steps")
settings="1 50 100 200 400 800 1600 auto"

echo model,sort_every,seconds,ratio
for model in melt granular dam; do
    for ((k = 0; k < rounds; k++)); do
        for every in $settings; do
            # shellcheck disable=SC2086
            echo "$every $(seconds ${run[$model]} --sort-every $every)"
        done
    done | awk -v model=$model -v settings="$settings" '
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END {
            n = split(settings, s, " ")
            for (k = 1; k < n; k++) if (k == 1 || least[s[k]] < best) best = least[s[k]]
            for (k = 1; k <= n; k++) printf "%s,%s,%.2f,%.3f\n", model, s[k], least[s[k]], least[s[k]] / best
        }'
done
