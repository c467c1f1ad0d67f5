#!/bin/sh
# Wherever a program takes an ordering it takes the whole grammar, or refuses by name and with the
# reason: orderings_cli.sh FOLDER, that of the programs.
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=2 TORRE_TUNE=none

fail() { echo "orderings_cli: $*" >&2; exit 1; }

# refused EXPECTED PROGRAM ARGUMENT...: exit code 2 and one line with that text
refused()
{
    expected=$1
    shift
    code=0
    "$bin/$@" >out 2>err || code=$?
    [ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$expected" err ||
        fail "$*: exit code $code, $(cat err)"
}

run_wave() { "$bin/wave" --backend cpu --quiet --size 40x33x20 --steps 20 --initial noise --source none "$@"; }
run_md() { "$bin/md" --backend cpu --quiet --cells 5 --steps 20 "$@"; }
run_mps() { "$bin/md" --model mps --backend cpu --quiet --spacing 0.01 --steps 4 "$@"; }
# taken PROGRAM NAME [WRITTEN]: it runs, and its report has the ordering as it is written
taken()
{
    "run_$1" --ordering "$2" --json report.json || fail "$1 --ordering $2"
    grep -qF "\"ordering\": \"${3:-$2}\"" report.json || fail "$1 --ordering $2: not in its report"
}

run_wave --engine stepwise --field expected.npy
for name in hybrid:hilbert/morton/3 row-major:ji strips:1 strips:5 turtle; do
    run_wave --engine torre --ordering "$name" --field u.npy --json report.json
    cmp expected.npy u.npy || fail "wave --ordering $name: other bits"
done
taken wave z morton
taken wave peano:ji peano:jik
for program in md mps; do
    taken $program hybrid:morton/hilbert/2
    taken $program hilbert:kji
    taken $program none
done
"$bin/locality" curve --ordering hybrid:hilbert/morton/4 --size 8x8 >/dev/null
"$bin/locality" tower --view stages --ordering strips:3 --size 24x24 >/dev/null
"$bin/locality" tower --view stages --ordering hybrid:hilbert/morton/4 --size 24x24 >/dev/null

only="strips are an order of towers alone"
axes="a plane has only the axes i and j"
for engine in auto torre stepwise; do refused "hilbert:kji: $axes" wave --backend cpu --ordering hilbert:kji --engine $engine; done
refused "hilbert:kji: $axes" locality tower --ordering hilbert:kji
refused "strips:4: $only" md --backend cpu --ordering strips:4
refused "strips:4: $only" md --model mps --backend cpu --ordering strips:4
for subcommand in curve offsets cache hits recommend; do
    refused "strips:4: $only" locality $subcommand --size 8x8 --ordering strips:4
done
# the same words from all
for program in wave md roofline "locality curve"; do
    refused "--ordering circle: unknown ordering; legal are row-major, " $program --ordering circle
    refused "--ordering hybrid:morton/4: expected hybrid:INNER/OUTER/TILE; legal are " $program --ordering hybrid:morton/4
    refused "--ordering strips:0: expected strips:WIDTH with WIDTH in 1 .. 1048576; legal are " $program --ordering strips:0
    "$bin/"$program --help | tr -s ' \n' ' ' | grep -qF "row-major, morton, hilbert, moore, peano, hybrid, pancake, turtle; NAME:AXES turns it" ||
        fail "$program --help does not say what orderings there are"
done
