#!/bin/bash
# --config and --dump-config of all programs: what is dumped says the same run again, and so does the report of
# a run; the command line counts before the file; errors name file and line.
#     config.sh BUILD
set -u
build=$(realpath "$1")
source "$(dirname "$0")/failures.sh"
export OMP_NUM_THREADS=2 LC_ALL=C TORRE_TUNE=off
bad() { refused "$1" "$2" "$build/$3" "${@:4}"; } # CODE TEXT PROGRAM ARGUMENT...
lines() { grep -v '^#' "$1" | grep .; } # of a configuration, what it says

# every program dumps what it is given, and takes that
for line in 'wave --order=4 --dt 0.5ms --spacing 2,3,4 --source 5,5,5;6,6,6 --quiet' 'md --cells 5 --rebuild-check' \
    'md --model mps --column 5cm,0.1' 'roofline --quick --seconds 1min' 'doctor --threads 2' \
    'locality curve --size 8x8 --ordering hilbert'; do
    read -r -a words <<<"$line"
    program=${words[0]} sub=()
    [ "$program" != locality ] || sub=("${words[1]}")
    "$build/$program" "${words[@]:1}" --dump-config >first || fail "$line"
    "$build/$program" "${sub[@]}" --config first --dump-config >second || fail "$line, dumped"
    cmp first second || fail "$line: the configuration differs when it is read"
    [ "$(lines first | wc -l)" -gt 0 ] || fail "$line: says nothing"
done
"$build/wave" --order 4 --dt 0.5ms --quiet --dump-config >first
[ "$(lines first)" = $'order = 4\ndt = 0.5ms\nquiet = yes' ] || fail "wave dumps $(lines first)"
grep -qx '#steps = [0-9]*' first || fail "defaults are not there as comments"
grep -q 'config' <(lines first) && fail "the configuration says where it comes from"

# files with all there is
cat >shot.conf <<'END'
# a shot
size = 30x20x10
order=4      # of accuracy
steps = 20

field = "u of #1.npy"
engine = reference
quiet = yes
END
"$build/wave" --config shot.conf || fail "shot.conf"
[ -s "u of #1.npy" ] || fail "no field of a name in quotes"
"$build/wave" --size 30x20x10 --order 4 --steps 20 --field u.npy --engine reference --quiet --json run.json
cmp u.npy "u of #1.npy" || fail "other bits from a file"
"$build/wave" --config run.json --field again.npy --json again.json || fail "run again from its report"
cmp u.npy again.npy || fail "other bits from a report"
"$build/wave" --config again.json --dump-config >from_report
"$build/wave" --config shot.conf --order 2 --field two.npy --json two.json
grep -q '"order": 2,' two.json || fail "the command line does not count before the file"
"$build/wave" --config <(cat shot.conf) --field piped.npy && cmp u.npy piped.npy || fail "from a pipe"
printf 'model = mps\ndimensions = 2\nsteps = 2\nspacing = 1cm\nquiet = yes\npicture = none\nfront = none\n' >dam.conf
"$build/md" --config <(cat dam.conf) --json dam.json || fail "md finds the model in a pipe"
grep -q '"model": "mps"' dam.json || fail "not the model of the file"
"$build/md" --config dam.conf --model lj --dry-run 2>err && fail "options of mps for lj"
grep -q 'dam.conf:2: unknown option dimensions' err || fail "said $(cat err)"

# what is refused
printf 'steps = 3\nordr = 2\n' >bad.conf
bad 3 'wave: bad.conf:2: unknown option ordr; did you mean order?' wave --config bad.conf
printf 'order = 3\n' >bad.conf
bad 3 'wave: bad.conf:1: --order must be 2, 4, 6, 8, 10 or 12 (got 3)' wave --config bad.conf
printf 'order = 2\n\norder = 2\n' >bad.conf
bad 3 'doctor: bad.conf:1: unknown option order' doctor --config bad.conf
bad 3 'wave: bad.conf:3: order is given twice' wave --config bad.conf
printf 'field = "u.npy\n' >bad.conf
bad 3 'wave: bad.conf:1: a value in quotes must end with a quote' wave --config bad.conf
printf 'field = "u.npy" v\n' >bad.conf
bad 3 'wave: bad.conf:1: unexpected v after the quotes' wave --config bad.conf
printf -- '--order 8\n' >bad.conf
bad 3 'wave: bad.conf:1: must be NAME = VALUE (got --order 8)' wave --config bad.conf
printf 'config = other.conf\n' >bad.conf
bad 3 'wave: bad.conf:1: config is for the command line alone' wave --config bad.conf
printf '{"config": {"order": 8}}\n' >bad.conf
bad 3 'wave: bad.conf:1: not a report: a string expected' wave --config bad.conf
printf '{"options": {},\n "steps": 8}\n' >bad.conf
bad 3 'this report has no "config"' wave --config bad.conf
printf '{"config": {"ordr": "8"}}\n' >bad.conf
bad 3 'wave: bad.conf:1: unknown option ordr' wave --config bad.conf
bad 3 'wave: none.conf: No such file or directory' wave --config none.conf
bad 3 'md: none.conf: No such file or directory' md --config none.conf
bad 3 'is a directory' wave --config .
bad 2 '--config needs a value: FILE' wave --config
bad 2 '--order must be' wave --order 3 --dump-config
bad 2 '--dt must be auto or a number above 0, up to 1e+09, in s, ms, us, ns, min or h (got 3m)' wave --dt 3m

no_failures
