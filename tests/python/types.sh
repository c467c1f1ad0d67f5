#!/bin/sh
# The package and the examples on it pass mypy --strict, and mypy sees what is wrong in a program on it.
#     types.sh BUILD
set -eu
build=$(cd "$1" && pwd)
examples=$(cd "$(dirname "$0")/../../examples/python" && pwd)
for mypy in "python3 -m mypy" mypy "/usr/bin/python3 -m mypy" none; do
    [ "$mypy" != none ] || { echo "types: no mypy here: apt install mypy"; exit 77; }
    ! $mypy --version >/dev/null 2>&1 || break
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$build/python"
check() { $mypy --strict --enable-incomplete-feature=Unpack --cache-dir "$work/cache" "$@"; }
check -p diamondtorre || exit 1
cat >"$work/wrong.py" <<'END'
from diamondtorre import LJ, Wave

Wave(order="8")
Wave(engine="fast")
Wave(velocty=2000)
LJ(cells=5).row.temprature
LJ(cells=5).advance(10, frame=lambda p: p.field())
END
MYPYPATH=$build/python check --follow-imports silent "$work/wrong.py" >"$work/said" || true
for line in 3 4 5 6 7; do
    grep -q "wrong.py:$line: error" "$work/said" || { cat "$work/said"; echo "types: line $line passes"; exit 1; }
done
for example in "$examples"/*.py; do
    MYPYPATH=$build/python $mypy --enable-incomplete-feature=Unpack --ignore-missing-imports --follow-imports silent \
        --cache-dir "$work/cache" "$example" || exit 1
done
