#!/bin/sh
# Every C and CUDA file is formatted as .clang-format says. clang-format 14 (Debian 12, Ubuntu
# 22.04 to 24.04 as clang-format-14) is pinned: other versions format differently.
cd "$(dirname "$0")/.." || exit 1
for tool in clang-format-14 clang-format; do
    command -v "$tool" >/dev/null && "$tool" --version | grep -q 'version 14\.' && break
    tool=""
done
if [ -z "$tool" ]; then
    echo "skipped: clang-format 14 is not installed"
    exit 77
fi
sources() { find include tiling src cuda tests bench examples -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -path '*emulator/*.cpp'; }
# Comments are left as they are (ReflowComments: false), so their length is looked at here.
sources | xargs awk 'length > 100 { print FILENAME ":" FNR ": more than 100 columns"; bad = 1 }
    END { exit bad }' || exit 1
sources | xargs "$tool" --dry-run -Werror
