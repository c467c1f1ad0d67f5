#!/bin/sh
# The library knows parameters ("{order} must be ..."), not the options that programs make of them.
cd "$(dirname "$0")/.." || exit 1
if grep -rnE '^[^*]*"([^"]*[( ])?--(%s|[a-z])' src cuda --include='*.[ch]' --include='*.cu' --include='*.cuh' |
    grep -vE '^src/(cli/|core/options)'; then
    echo "texts of the library name options: write {order}, not --order (core/status.h)"
    exit 1
fi
