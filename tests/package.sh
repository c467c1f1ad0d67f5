#!/bin/sh
# What `cmake --install` gives: programs in C and C++ that use waves, particles, fluids and files are
# built against it and run, by pkg-config and by find_package; every header compiles by itself.
#     package.sh CMAKE BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 build=$2
hello=$here/../examples/hello/hello_wave.c
for tool in gcc g++ pkg-config; do
    command -v $tool >/dev/null || { echo "package: no $tool here"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$cmake" --install "$build" --prefix "$work/first" >log
mv first prefix # nothing may know where it was installed
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name torre.pc)")
export PKG_CONFIG_PATH OMP_NUM_THREADS=1

headers=$(find prefix/include/torre -name '*.h' | sed 's,prefix/include/torre/,,' | sort)
for wanted in torre.h io/npy.h particles/mps_run.h particles/granular.h tiling/ordering.h; do
    echo "$headers" | grep -qx "$wanted" || { echo "package: $wanted is not installed"; exit 1; }
done
strict="-Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags torre)"
for header in $headers; do
    printf '#include "%s"\nint one;\n' "$header" >one.c
    gcc -std=c11 -pedantic $strict one.c
    g++ -std=c++17 $strict -x c++ one.c
    # functions keep their names in C++
    if grep -qE '^[a-z][a-z_0-9]* \**torre_\w+\(' "prefix/include/torre/$header"; then
        grep -q 'extern "C"' "prefix/include/torre/$header" ||
            { echo "package: $header declares functions without extern \"C\""; exit 1; }
    fi
done

for static in "" --static; do
    flags=$(pkg-config $static --cflags --libs torre)
    mkdir "made$static"
    gcc -std=c11 "$hello" -o "made$static/hello" $flags
    gcc -std=c11 "$here/package/fluid.c" -o "made$static/fluid" $flags
    g++ -std=c++17 "$here/package/gas.cpp" -o "made$static/gas" $flags
done
mkdir cmake
(cd cmake && "$cmake" "$here/package" "-DCMAKE_PREFIX_PATH=$work/prefix" "-DHELLO=$hello" >../log &&
    "$cmake" --build . >>../log) || { cat log; exit 1; }
for program in hello fluid gas; do
    for way in made made--static cmake; do "./$way/$program" >/dev/null; done
done
prefix/bin/wave --version >/dev/null
