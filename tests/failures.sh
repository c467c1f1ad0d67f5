# For tests of programs from outside, sourced: a scratch directory, which becomes the current one, failures, and
# what is refused.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# refused CODE TEXT COMMAND...: ends with that code and one line that holds TEXT
refused()
{
    local code=$1 text=$2
    shift 2
    "$@" >out 2>err </dev/null
    local got=$?
    [ $got = "$code" ] || fail "$*: code $got, not $code"
    grep -qF -e "$text" err || fail "$*: said \"$(cat err)\", not \"$text\""
    [ "$(wc -l <err)" = 1 ] || fail "$*: $(wc -l <err) lines on standard error"
}

# the last command of a test: its exit code
no_failures()
{
    [ $failures = 0 ] || return 1
    echo "$(basename "$0" .sh): all as it should be"
}
