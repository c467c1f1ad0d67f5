# For the tests of `md` from outside, sourced: failures.sh and what is refused.
# command: the array that bad runs.
source "$(dirname "$0")/failures.sh"

# bad CODE TEXT OPTION...: refused with that code, one line holding TEXT, and no file left.
bad()
{
    local code=$1 text=$2
    shift 2
    mkdir run
    (cd run && "${command[@]}" --quiet "$@" >../out 2>../err)
    local got=$?
    [ $got = "$code" ] || fail "md $*: exit $got, not $code"
    [ "$(wc -l <err)" = 1 ] || fail "md $*: $(wc -l <err) lines on standard error: $(cat err)"
    grep -qF -- "$text" err || fail "md $*: \"$(cat err)\" does not say \"$text\""
    [ -s out ] && fail "md $*: standard output holds $(head -1 out)"
    [ -z "$(ls -A run)" ] || fail "md $*: left $(ls -A run)"
    rm -rf run
}
