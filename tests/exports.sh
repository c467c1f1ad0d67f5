#!/bin/sh
# What libtorre.so shows is what the public headers declare, no more and no less, and test_api.c calls all
# of it; its name carries the release that programs were linked with.
#     exports.sh BUILD INCLUDE MAJOR.MINOR
set -eu
build=$1 include=$2 release=$3
for tool in nm readelf gcc; do
    command -v $tool >/dev/null || { echo "exports: no $tool here"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in "$include"/torre/*.h; do
    echo "#include <torre/${header##*/}>"
done >"$work/all.c"
# -aux-info lists the functions declared, with their files
gcc -std=c11 -I"$include" -fsyntax-only -aux-info "$work/list" "$work/all.c"
grep "$include/torre/" "$work/list" | grep -v ' static ' | grep -oE '\btorre_\w+ \(' | tr -d ' (' | sort -u >"$work/declared"
nm -D --defined-only "$build/src/libtorre.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/shown"
[ -s "$work/declared" ] || { echo "exports: no function found in $include/torre"; exit 1; }
diff "$work/declared" "$work/shown" >"$work/difference" || {
    echo "exports: < declared in include/torre only, > shown by libtorre.so only:"
    grep '^[<>]' "$work/difference"
    exit 1
}
while read -r name; do
    grep -q "\b$name\b" "$include/../tests/test_api.c" || { echo "exports: test_api.c lacks $name"; exit 1; }
done <"$work/declared"
readelf -d "$build/src/libtorre.so" | grep -q "SONAME.*\[libtorre\.so\.$release\]" ||
    { echo "exports: the soname is not libtorre.so.$release"; exit 1; }
