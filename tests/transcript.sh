#!/bin/sh
# Run the commands of a transcript again and compare what they say.
#
#     transcript.sh TRANSCRIPT PROGRAM_FOLDER [--update]
#
# A transcript holds commands ("$ command") and under each its standard output, its standard error
# with "! " before every line, and "[code]" when it does not end with 0; '#' lines are comments.
# Commands run in an empty folder with PROGRAM_FOLDER first on PATH, one after another.
transcript=$(realpath "$1")
PATH=$(realpath "$2"):$PATH
LC_ALL=C
export PATH LC_ALL
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/run"
cd "$work/run" || exit 1
while IFS= read -r line; do
    case $line in
    '#'*) printf '%s\n' "$line" ;;
    '$ '*)
        printf '%s\n' "$line"
        sh -c "${line#??}" >"$work/out" 2>"$work/err" </dev/null
        code=$?
        cat "$work/out"
        sed 's/^/! /' "$work/err"
        [ $code = 0 ] || echo "[$code]"
        ;;
    esac
done <"$transcript" >"$work/now"
if [ "$3" = --update ]; then
    cp "$work/now" "$transcript"
else
    diff -u "$transcript" "$work/now"
fi
