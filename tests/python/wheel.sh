#!/bin/sh
# The wheel as users make it, with pip and what it fetches: its name promises other machines, and in a Python that
# has nothing else its own library runs, and the process ends well. (ctest does not run this; .ci/run does.)
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
if ! venv/bin/pip -q download --retries 1 --timeout 10 --no-deps -d index scikit-build-core; then
    echo "wheel: no package index can be reached, no wheel is made"
    exit 0
fi
venv/bin/pip -q wheel --no-deps -w wheels "$source"
ls wheels/diamondtorre-*-py3-none-manylinux_*.whl || { ls wheels; echo "wheel: not a manylinux wheel"; exit 1; }
venv/bin/pip -q install wheels/*.whl
venv/bin/python - <<'END'
import diamondtorre
assert "site-packages/diamondtorre/lib/libtorre.so" in diamondtorre.about(), diamondtorre.about()
melt = diamondtorre.LJ(cells=5, temperature=1.44)
melt.advance(10)
print(diamondtorre.about())
END
