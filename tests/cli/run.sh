#!/bin/bash
# The program `wave` from outside: golden texts, results, and a long list of bad input.
# Usage: run.sh WAVE [update]      (update rewrites the golden files from what the program says)
wave=$(realpath "$1")
update=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=2 LC_ALL=C TORRE_TUNE=off
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# What a machine or a moment decides is masked.
mask()
{
    sed -E -e 's/^(device  +).*/\1.../' \
        -e 's/^(speed .*) in .*/\1 in .../' \
        -e '/^whole  .*, of which .* in the time loop$/d' \
        -e 's/[0-9.]+ (bytes|KiB|MiB|GiB) on the host, [0-9]+ bytes/.../' \
        -e 's/[0-9.]+ (bytes|KiB|MiB) +fields and tables/... fields and tables/' \
        -e 's/^(amplitude  +).*/\1.../' \
        -e 's/about .* at [0-9.e+-]+ Gcells/about ... at ... Gcells/' \
        -e 's/dts [0-9]+, tower height [0-9]+/dts ..., tower height .../'
}

# said_nothing ARGUMENTS: nothing on standard error, but for what a build without FreeType has to say.
said_nothing()
{
    grep -v 'pictures are bare rasters, for this build has no FreeType' stderr >said
    [ ! -s said ] || fail "wave $1: said $(cat said)"
}

# golden NAME ARGUMENT...: standard output equals the file NAME.txt, nothing on standard error.
golden()
{
    local name=$1
    shift
    mkdir -p "golden-$name" && cd "golden-$name" || exit 1
    "$wave" "$@" >../stdout 2>../stderr || fail "wave $*: exit code $?, $(cat ../stderr)"
    cd ..
    said_nothing "$*"
    mask <stdout >masked
    if [ "$update" = update ]; then
        cp masked "$here/$name.txt"
    elif ! diff -u "$here/$name.txt" masked; then
        fail "wave $*: output differs from tests/cli/$name.txt"
    fi
}

# good ARGUMENT...: exit code 0, nothing on standard error. Runs in $work/run, emptied before.
good()
{
    rm -rf run && mkdir run && cd run || exit 1
    "$wave" "$@" >../stdout 2>../stderr || fail "wave $*: exit code $?, $(cat ../stderr)"
    cd ..
    said_nothing "$*"
}

# check_files NAME...: exactly these are in $work/run.
check_files()
{
    [ "$(ls -A run | tr '\n' ' ')" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] ||
        fail "files are $(ls -A run | tr '\n' ' '), expected $*"
}

# bad CODE TEXT ARGUMENT...: that exit code, one line on standard error that begins with "wave: "
# and has TEXT in it, and no new file. Runs in $work/inputs.
bad()
{
    local code=$1 text=$2 got before
    shift 2
    before=$(ls -A inputs)
    (cd inputs && exec timeout 60 "$wave" "$@" >../stdout 2>../stderr)
    got=$?
    [ $got = "$code" ] || fail "wave $*: exit code $got, expected $code ($(cat stderr))"
    [ "$(wc -l <stderr)" = 1 ] || fail "wave $*: $(wc -l <stderr) lines: $(cat stderr)"
    grep -q '^wave: ' stderr || fail "wave $*: says $(cat stderr)"
    grep -qF -- "$text" stderr || fail "wave $*: no '$text' in: $(cat stderr)"
    [ "$(ls -A inputs)" = "$before" ] ||
        { fail "wave $*: left $(ls -A inputs | tr '\n' ' ')"; rm -f inputs/*.part; }
}

# warns TEXT ARGUMENT...: exit code 0 and one line on standard error, a warning with TEXT in it. Runs in
# $work/run, emptied before.
warns()
{
    local text=$1
    shift
    rm -rf run && mkdir run
    (cd run && exec "$wave" "$@" >../stdout 2>../stderr) || fail "wave $*: exit code $?, $(cat stderr)"
    [ "$(wc -l <stderr)" = 1 ] && grep -q '^wave: warning: ' stderr && grep -qF -- "$text" stderr ||
        fail "wave $*: no warning '$text' alone in: $(cat stderr)"
}

. "$here/golden.sh"
. "$here/results.sh"
. "$here/bad_input.sh"
. "$here/plane.sh"
. "$here/caution.sh"
. "$here/advice.sh"

[ $failures = 0 ] && echo "all passed" && exit 0
echo "$failures failed"
exit 1
