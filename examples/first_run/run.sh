#!/bin/sh
# The smallest run: one source in a box of 240x240x120 cells, a picture of its waves.
# Usage: run.sh [BUILD [OPTION...]]      (options go to wave)
set -eu
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
"$build/wave" --output first_run "$@"
