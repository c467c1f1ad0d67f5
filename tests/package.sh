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

# one folder has libtorre.so first, the other libtorre.a alone
libraries=$(pkg-config --variable=libdir torre)
mkdir archive made-shared made-static
cp "$libraries/libtorre.a" archive
build() { # LANGUAGE SOURCE PROGRAM
    compile="gcc -std=c11"
    [ "$1" = c ] || compile="g++ -std=c++17"
    $compile "$2" -o "made-static/$3" -Larchive $(pkg-config --static --cflags --libs torre)
    [ "$3" != hello ] || $compile "$2" -o "made-shared/$3" $(pkg-config --cflags --libs torre) -lm
}
build c "$hello" hello
build c "$here/package/fluid.c" fluid
build c++ "$here/package/gas.cpp" gas
mkdir cmake
(cd cmake && "$cmake" "$here/package" "-DCMAKE_PREFIX_PATH=$work/prefix" "-DHELLO=$hello" >../log &&
    "$cmake" --build . >>../log) || { cat log; exit 1; }
for way in made-shared made-static cmake; do
    for program in "$way"/hello* "$way"/fluid "$way"/gas; do
        [ ! -f "$program" ] || LD_LIBRARY_PATH=$libraries "./$program" >/dev/null
    done
done
readelf -d made-shared/hello | grep -q 'NEEDED.*libtorre\.so\.0\.1' ||
    { echo "package: hello does not ask for libtorre.so.0.1"; exit 1; }
! readelf -d made-static/hello | grep -q 'NEEDED.*libtorre' || { echo "package: libtorre.a was not taken"; exit 1; }
prefix/bin/wave --version >/dev/null
[ "$(find prefix -path "*/man1/*.1" -size +0 | wc -l)" -eq 5 ] || { echo "package: not five man pages"; exit 1; }
