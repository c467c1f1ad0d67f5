#!/bin/sh
# What a survey loses: the time of its shots, computed one after the other with all threads or several at once,
# against as many time loops of one shot alone.
#   survey.sh [-n SHOTS] [-r REPEATS] [BUILD [OPTION...]]      (options go to wave)
# Prints for each way the medians of interleaved repeats, in seconds: the survey, with preparing and writing; the time
# loops in it; the time loop of one shot alone; then SHOTS * that / survey, and, of one shot after the other, the share
# of the survey that its loops are.
set -eu
shots=64 repeats=3
while getopts n:r: letter; do
    case $letter in
    n) shots=$OPTARG ;;
    r) repeats=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
wave=$(cd "${1:-build}" && pwd)/wave
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- --size 256x256x256 --steps 500
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{
    echo shot,x,y,z
    i=0
    while [ $i -lt "$shots" ]; do echo "$i,$((200 + i)),$((200 + i)),100" && i=$((i + 1)); done
} >shots.csv
receivers=100,100,50:600,600,50:100
member() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" "$2"; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
for repeat in $(seq "$repeats"); do
    "$wave" "$@" --source 200,200,100 --receivers $receivers --traces one.sgy --snapshot-every 0 --json one.json --quiet
    member compute_s one.json >>loop
    for at_once in 1 auto; do
        rm -rf traces
        "$wave" "$@" --survey shots.csv --receivers $receivers --traces 'traces/{shot}.sgy' --shots-at-once $at_once \
            --json "$at_once.json" --quiet
        member survey_s "$at_once.json" >>"survey_$at_once"
        member compute_s "$at_once.json" >>"loops_$at_once"
    done
done
loop=$(median <loop)
printf '%s\n' "at once,survey,loops,loop alone,alone/survey,loops/survey"
for at_once in 1 auto; do
    survey=$(median <"survey_$at_once") loops=$(median <"loops_$at_once") share=
    [ $at_once = auto ] || share=$(awk "BEGIN { printf \"%.3f\", $loops / $survey }")
    awk "BEGIN { printf \"%s,%.3f,%.3f,%.3f,%.3f,%s\n\", \"$at_once\", $survey, $loops, $loop, $shots * $loop / $survey, \"$share\" }"
done
