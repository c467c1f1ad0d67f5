#!/bin/sh
# Every preset can build, and takes all cores with make, or as many as it is told, in a project that only
# says how many these are.
#     presets.sh CMAKE CMAKEPRESETS.JSON
set -eu
cmake=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$2" "$work"
cd "$work"
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(jobs NONE)
add_custom_target(jobs ALL COMMAND echo flags=$(MAKEFLAGS))
END
unset MAKEFLAGS SHELL # a container often has no SHELL
export CMAKE_GENERATOR="Unix Makefiles"
said() { "$cmake" --build --preset "$@" | tr ' ' '\n' | grep -e '^-j'; }

presets=$("$cmake" --list-presets | sed -n 's/^ *"\([^"]*\)".*/\1/p')
[ -n "$presets" ]
for preset in $presets; do
    "$cmake" --preset "$preset" >log 2>&1 || { cat log; exit 1; }
    jobs=$(said "$preset") || jobs=nothing
    [ "$jobs" = "-j$(nproc)" ] || { echo "preset $preset: -j$(nproc) wanted, got $jobs"; exit 1; }
done
[ "$(said "$preset" -j 3)" = -j3 ] || { echo "preset $preset: -j 3 has no effect"; exit 1; }
[ "$(MAKEFLAGS=-j5 said "$preset")" = -j5 ] || { echo "MAKEFLAGS has no effect"; exit 1; }
