#!/bin/sh
# The man pages of a build: groff has nothing to say against them, and every option that a --help lists
# stands in the page as a reader sees it.
#     man_pages.sh BUILD
set -eu
build=$1
for tool in groff col; do
    command -v $tool >/dev/null || { echo "man_pages: no $tool here"; exit 77; }
done
helps() { # of a program, in one text
    "$build/$1" --help
    case $1 in
    md) "$build/md" --model mps --help ;;
    locality)
        for sub in $("$build/locality" --help | grep -oE '^ +locality [a-z]+ --' | awk '{print $2}' | sort -u); do
            "$build/locality" "$sub" --help
        done
        ;;
    esac
}
for program in wave md locality roofline doctor; do
    page=$build/man/$program.1
    said=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
    [ -z "$said" ] || { echo "man_pages: $program.1: $said"; exit 1; }
    text=$(groff -man -Tutf8 -P-c "$page" | col -bx)
    options=$(helps $program | grep -oE '^  --[a-z-]+' | sort -u)
    [ -n "$options" ] || { echo "man_pages: $program --help lists no options"; exit 1; }
    for option in $options; do
        printf '%s\n' "$text" | grep -qE -e "^ +$option( |$)" ||
            { echo "man_pages: $program.1 has no $option"; exit 1; }
    done
    for part in NAME SYNOPSIS DESCRIPTION OPTIONS 'SEE ALSO'; do
        printf '%s\n' "$text" | grep -qx "$part" || [ "$program $part" = "locality OPTIONS" ] ||
            { echo "man_pages: $program.1 has no section $part"; exit 1; }
    done
done
