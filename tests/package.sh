#!/bin/sh
# What `cmake --install` gives: the public headers, each of which compiles by itself in C and C++, and both
# libraries, on which the examples and a program that uses every part are built by pkg-config and by
# find_package, and run.
#     package.sh CMAKE BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 build=$2
examples=$here/../examples/hello
for tool in gcc g++ pkg-config readelf; do
    command -v $tool >/dev/null || { echo "package: no $tool here"; exit 77; }
done
fail() { echo "package: $*"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$cmake" --install "$build" --prefix "$work/first" >log
mv first prefix # nothing may know where it was installed
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name torre.pc)")
export PKG_CONFIG_PATH OMP_NUM_THREADS=1

ls prefix/include/torre >installed
ls "$here/../include/torre" | diff - installed || fail "other headers are installed than those of include/torre"
[ "$(find prefix/include -name '*.h' | wc -l)" -eq "$(wc -l <installed)" ] || fail "headers outside include/torre"
strict="-Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags torre)"
while read -r header; do
    printf '#include <torre/%s>\nint one;\n' "$header" >one.c
    gcc -std=c11 -pedantic $strict one.c
    g++ -std=c++17 $strict -x c++ one.c
    # functions keep their names in C++
    ! grep -qE '^[a-z][a-z_0-9 ]* \**torre_\w+\(' "prefix/include/torre/$header" ||
        grep -q 'extern "C"' "prefix/include/torre/$header" || fail "$header has no extern \"C\""
done <installed

# Folder `archive` has libtorre.a alone; linked from there, a program needs no libtorre.so.
libraries=$(pkg-config --variable=libdir torre)
mkdir archive shared static cmake
cp "$libraries/libtorre.a" archive
for source in "$examples"/hello_* "$here/package/everything.cpp"; do
    name=$(basename "${source%.*}")
    compile="gcc -std=c11"
    [ "$source" = "${source%.cpp}" ] || compile="g++ -std=c++17"
    [ "$(wc -l <"$source")" -lt 60 ] || [ "$name" = everything ] || fail "$name has 60 lines or more"
    $compile "$source" -o "shared/$name" $(pkg-config --cflags --libs torre) -lm
    $compile "$source" -o "static/$name" -Larchive $(pkg-config --static --cflags --libs torre)
    readelf -d "shared/$name" | grep -q 'NEEDED.*libtorre\.so\.[0-9.]*\]' || fail "$name does not ask for libtorre.so"
    ! readelf -d "static/$name" | grep -q 'NEEDED.*libtorre' || fail "libtorre.a was not taken for $name"
done
(cd cmake && "$cmake" "$here/package" "-DCMAKE_PREFIX_PATH=$work/prefix" "-DEXAMPLES=$examples" >../log &&
    "$cmake" --build . >>../log) || { cat log; exit 1; }
for name in hello_wave hello_melt hello_dam everything; do
    for program in shared/$name static/$name cmake/$name cmake/${name}_static; do
        LD_LIBRARY_PATH=$libraries "./$program" >/dev/null || fail "$program failed"
    done
done
prefix/bin/wave --version >/dev/null
[ "$(find prefix -path "*/man1/*.1" -size +0 | wc -l)" -eq 5 ] || fail "not five man pages"
