#!/bin/sh
# What a survey loses: the time of its shots, computed one after the other with all threads or several at once,
# against as many time loops of one shot alone.
#   survey.sh [-n SHOTS] [-r REPEATS] [-f FORMAT] [-d] [BUILD [OPTION...]]      (options go to wave)
# -f: of the traces, sgy (the default), su or npy. -d: on one GPU and on all of them, in place of shots at once.
# Prints for each way the medians of interleaved repeats, in seconds: the survey, with preparing and writing; the time
# loops in it; the time loop of one shot alone; then SHOTS * that / survey, and, of one shot after the other, the share
# of the survey that its loops are.
set -eu
shots=64 repeats=3 format=sgy option=--shots-at-once ways='1 auto'
while getopts n:r:f:d letter; do
    case $letter in
    n) shots=$OPTARG ;;
    r) repeats=$OPTARG ;;
    f) format=$OPTARG ;;
    d) option=--devices ways='0 all' ;;
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
    # on nodes of the grid, as the shot alone: between them a source is hundreds of nodes
    while [ $i -lt "$shots" ]; do echo "$i,$((200 + 10 * (i % 64))),$((200 + 10 * (i % 64))),100" && i=$((i + 1)); done
} >shots.csv
receivers=100,100,50:600,600,50:100
member() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" "$2"; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
for repeat in $(seq "$repeats"); do
    "$wave" "$@" --source 200,200,100 --receivers $receivers --traces "one.$format" --snapshot-every 0 --json one.json --quiet
    member compute_s one.json >>loop
    for way in $ways; do
        rm -rf traces
        "$wave" "$@" --survey shots.csv --receivers $receivers --traces "traces/{shot}.$format" "$option" "$way" \
            --json "$way.json" --quiet
        member survey_s "$way.json" >>"survey_$way"
        member compute_s "$way.json" >>"loops_$way"
    done
done
loop=$(median <loop)
printf '%s\n' "${option#--},survey,loops,loop alone,alone/survey,loops/survey"
for way in $ways; do
    survey=$(median <"survey_$way") loops=$(median <"loops_$way") share=
    [ "$way" = "${ways#* }" ] || share=$(awk "BEGIN { printf \"%.3f\", $loops / $survey }")
    awk "BEGIN { printf \"%s,%.3f,%.3f,%.3f,%.3f,%s\n\", \"$way\", $survey, $loops, $loop, $shots * $loop / $survey, \"$share\" }"
done
