#!/bin/bash
# Completion for bash and zsh: what a shell offers at the end of a line.
#     completion.sh BUILD
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
source "$(dirname "$0")/failures.sh"
mkdir folder
touch model.npy "folder/shot.csv"

offers() # WORDS EXPECTED...: a line that bash completes at its end; "-" for an empty last word
{
    local line=$1
    shift
    read -r -a COMP_WORDS <<<"$line"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    [ "${COMP_WORDS[COMP_CWORD]}" != - ] || COMP_WORDS[COMP_CWORD]=''
    COMPREPLY=()
    "_torre_${COMP_WORDS[0]}"
    local got="${COMPREPLY[*]}"
    [ "$got" = "$*" ] || fail "$line: offers '$got', not '$*'"
}
for program in wave md locality roofline doctor; do
    # shellcheck disable=SC1090 # made by the build
    source "$build/completion/$program.bash" || fail "$program.bash"
    # every option that --help lists
    COMP_WORDS=("$program" --) COMP_CWORD=1
    "_torre_$program"
    [ $program = locality ] ||
        [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$("$build/$program" --help | grep -oE '^  --[a-z-]+' | tr -d ' ' | sort)" ] ||
        fail "$program: offers ${COMPREPLY[*]}"
done
offers 'wave --ord' --order --ordering
offers 'wave --order -' 2 4 6 8 10 12
offers 'wave --backend c' cpu cuda
offers 'wave --backend =' auto cpu cuda   # words as bash cuts --backend=
offers 'wave --backend = cu' cuda
offers 'wave --ordering hil' hilbert
offers 'wave --velocity m' model.npy
offers 'wave --output f' folder
offers 'wave --steps -'
offers 'wave --quiet --snapshot-f' --snapshot-format
offers 'md --model mp' mps
offers 'md --ga' --gas
offers 'md --model mps --gau' --gauges
offers 'md --model = mps --gau' --gauges
offers 'locality -' curve stencil offsets cache hits recommend tower --help --version
offers 'locality rec' recommend
offers 'locality cache --cap' --capacity
offers 'roofline --program -' wave md

if command -v zsh >/dev/null; then
    for program in wave md locality roofline doctor; do
        zsh -n "$build/completion/_$program" || fail "_$program"
    done
    ! command -v python3 >/dev/null || python3 "$here/completion_zsh.py" "$build" || fail "zsh"
fi

no_failures
