#!/bin/sh
# What goes into the wheel is all that the package needs: its own library is taken, and the process ends well.
#     install.sh CMAKE BUILD PYTHON
set -eu
cmake=$1 build=$2 python=$3
"$python" -c "import numpy" 2>/dev/null || { echo "install: no NumPy here: apt install python3-numpy"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --component python --prefix "$work/first" >/dev/null
mv "$work/first" "$work/site" # nothing may know where it was installed
cd "$work"
PYTHONPATH=$work/site "$python" - "$work/site" <<'END'
import sys
import diamondtorre
assert diamondtorre.about().endswith(f"from {sys.argv[1]}/diamondtorre/lib/libtorre.so.0.1"), diamondtorre.about()
melt = diamondtorre.LJ(cells=5, temperature=1.44)
melt.advance(10)
assert melt.step == 10
END
[ "$(find site -type f | wc -l)" -eq "$(find site/diamondtorre -type f | wc -l)" ] || { echo "install: more than the package"; exit 1; }
