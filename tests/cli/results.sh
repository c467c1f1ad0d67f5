# Sourced by run.sh: files and numbers that the program writes.
small="--backend cpu --engine reference --size 20x18x16 --order 4 --dt 1e-3"

# member NAME: its value in $work/run/run.json (one member a line).
member() { sed -n "s/^  \"$1\": \(.*[^,]\),*\$/\1/p" run/run.json; }

good $small --steps 10 --json run.json --snapshot-every 0
check_files run.json
[ "$(member steps)" = 10 ] && [ "$(member order)" = 4 ] && [ "$(member cell_updates)" = 57600 ] &&
    [ "$(member size)" = "[20, 18, 16]" ] && [ "$(member dt_s)" = 0.001 ] &&
    [ "$(member courant)" = 0.2 ] && [[ $(member courant_limit) =~ ^0.50*1?1?$|^0.49999* ]] &&
    [ "$(member engine)" = '"reference"' ] && [ "$(member precision)" = '"f32"' ] ||
    fail "the report is wrong: $(cat run/run.json)"
for name in program version backend device dts ordering why kernel spacing_m tower_height threads wall_s \
    compute_s gcells_per_s model_bytes_per_update peak_memory_bytes max_abs l2_norm options; do
    grep -q "^  \"$name\": " run/run.json || fail "no $name in the report"
done

# Where the time went: all phases, in their order, of which the loop is that of the rate. Their sum is
# more than what the report had seen of the process when it was made, and less than the process took.
time_s() { sed -n '/^  "time_s"/,/}/s/^    "\([a-z]*\)": \([0-9.e-]*\),*$/\1 \2/p' run/run.json; }
begun=$(date +%s.%N)
good --backend cpu --size 64 --order 4 --steps 20 --json run.json --initial noise --field u.npy
ended=$(date +%s.%N)
time_s >times
[ "$(cut -d ' ' -f 1 times | tr '\n' ' ')" = "start read check upload loop output exit " ] ||
    fail "time_s has $(cat times)"
awk -v wall="$(member wall_s)" -v compute="$(member compute_s)" -v process="$(echo "$ended $begun" | awk '{ print $1 - $2 }')" '
    { sum += $2 } $1 == "loop" { loop = $2 }
    END { exit !(sum >= wall && sum <= process && loop > 0 && loop <= compute && loop > 0.5 * compute) }' times ||
    fail "time_s does not add up: $(cat run/run.json)"
good --backend cpu --size 32 --order 4 --steps 0 --velocity 2000
grep -q '^whole  .*, of which 0 ms in the time loop$' stdout || fail "not told where the time went: $(cat stdout)"

# a report on standard output is alone there
rm -rf run && mkdir run && (cd run && "$wave" $small --steps 2 --json - >run.json 2>../stderr)
[ "$(head -c 1 run/run.json)" = "{" ] && [ "$(tail -n 1 run/run.json)" = "}" ] ||
    fail "--json -: standard output holds $(cat run/run.json)"
grep -q '^speed ' stderr || fail "--json -: no summary on standard error"

# quiet is quiet
good $small --steps 2 --quiet --frequency 60
[ ! -s stdout ] || fail "--quiet printed $(cat stdout)"
check_files snapshot_000002.png

# snapshots: which steps, where
good $small --steps 9 --snapshot-every 4 --output a/b
[ "$(ls run/a/b | tr '\n' ' ')" = "snapshot_000004.png snapshot_000008.png " ] ||
    fail "snapshots are $(ls run/a/b)"
good $small --steps 4 --snapshot-every 4 --initial noise
check_files snapshot_000000.png snapshot_000004.png

# pictures: bare rasters of the plane alone, or figures around them, twice as large for a page
size_of() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }
good $small --steps 2 --picture-style raw
raw=$(size_of run/snapshot_000002.png)
[ "$raw" = 1000x800 ] || fail "--picture-style raw: $raw pixels"
if "$wave" --version | grep -q "with FREETYPE"; then
    good $small --steps 2
    figure=$(size_of run/snapshot_000002.png)
    good $small --steps 2 --picture-style page
    [ "$figure $(size_of run/snapshot_000002.png)" = "988x772 1976x1544" ] || fail "figures: $figure pixels"
    grep -aq pHYs run/snapshot_000002.png || fail "a picture for a page does not say its size"
fi

# equal seeds give equal fields, others do not; a field read back in gives the same next field
good $small --steps 3 --initial noise --seed 7 --field u.npy --snapshot-every 0
cp run/u.npy first.npy
good $small --steps 3 --initial noise --seed 7 --field u.npy --snapshot-every 0
cmp -s run/u.npy first.npy || fail "--seed 7 twice: fields differ"
good $small --steps 3 --initial noise --seed 8 --field u.npy --snapshot-every 0
cmp -s run/u.npy first.npy && fail "--seed 7 and 8: same field"
good $small --steps 0 --initial "$work/first.npy" --field u.npy --snapshot-every 0
cmp -s run/u.npy first.npy || fail "--steps 0: the initial field is not the final one"
good $small --steps 1 --initial "$work/first.npy,$work/first.npy" --field u.npy --snapshot-every 0

# towers and single steps give the same bits, however the run is cut into frames
many="--backend cpu --size 37x29x23 --order 6 --steps 41 --boundary absorbing,z-=free
    --absorbing-width 6 --receivers 65,60,30:300,200,150:4 --traces t.npy --field u.npy"
good $many --engine stepwise --snapshot-every 0
cp run/u.npy first.npy && cp run/t.npy first_t.npy
for way in "--snapshot-every 0" "--snapshot-every 0 --dts 1 --tower-height 7 --threads 1" "--snapshot-every 0 --dts 3 --tower-height 100 --ordering hilbert" \
    "--snapshot-every 11"; do
    good $many --engine torre $way
    cmp -s run/u.npy first.npy && cmp -s run/t.npy first_t.npy ||
        fail "--engine torre $way: not the bits of --engine stepwise"
done

# without --engine: towers, or single steps where towers cannot do it and nothing asks for them
good $many --snapshot-every 0 --json run.json
[ "$(member engine)" = '"torre"' ] || fail "by itself: engine $(member engine)"
cmp -s run/u.npy first.npy && cmp -s run/t.npy first_t.npy || fail "by itself: other bits"
loop="--backend cpu --size 16x15x14 --order 4 --steps 5 --boundary x=periodic --snapshot-every 0"
good $loop --json run.json --field u.npy
[ "$(member engine)" = '"stepwise"' ] || fail "periodic x: engine $(member engine)"
grep -q '^scheme .* engine stepwise (there are no towers for this problem)$' stdout &&
    grep -q '^why        --engine torre has no periodic faces along x; use --engine stepwise$' stdout &&
    grep -q '^kernel     one step at a time, blocks of [0-9]* rows of [0-9]* cells$' stdout ||
    fail "periodic x: says $(cat stdout)"
[ "$(member why)" = '"--engine torre has no periodic faces along x; use --engine stepwise"' ] &&
    [[ $(member kernel) =~ ^\"one\ step\ at\ a\ time, ]] || fail "periodic x: reports $(cat run/run.json)"
cp run/u.npy first.npy
good $loop --engine stepwise --field u.npy
cmp -s run/u.npy first.npy || fail "periodic x: not the bits of --engine stepwise"
grep -q '^scheme .* engine stepwise$' stdout || fail "--engine stepwise: says $(cat stdout)"
(cd run && "$wave" $loop --ordering hilbert >../stdout 2>../stderr)
grep -q '^wave: warning: --ordering means nothing to --engine stepwise$' stderr ||
    fail "periodic x, --ordering: says $(cat stderr)"

# a line of receivers and the same points in a file give the same traces
printf '# line\nx,y,z\n0,20,30\n50,20,30\n100,20,30\n' >line.csv
good $small --steps 12 --receivers 0,20,30:100,20,30:3 --traces t.npy --snapshot-every 0
cp run/t.npy first.npy
good $small --steps 12 --receivers "$work/line.csv" --traces t.npy --snapshot-every 0
cmp -s run/t.npy first.npy || fail "receivers from a line and from a file: traces differ"

# --amplitude, the factor of a source and a wavelet file are the same thing
good $small --steps 12 --source 90,80,70,2 --receivers 50,50,50 --traces t.npy --snapshot-every 0
cp run/t.npy first.npy
good $small --steps 12 --source 90,80,70 --amplitude 2 --receivers 50,50,50 --traces t.npy \
    --snapshot-every 0
cmp -s run/t.npy first.npy || fail "--amplitude 2 and a source of factor 2: traces differ"

# all trace formats; an automatic time step is cut to whole microseconds for SEG-Y
formats="t.npy,t.png"
"$wave" --version | grep -q 'with SEGYIO' && formats="$formats,t.sgy,t.su"
good --backend cpu --engine reference --size 16 --steps 9 --receivers 10,10,10:100,100,100:90 --traces "$formats" \
    --snapshot-every 0 --json run.json
check_files run.json ${formats//,/ }
case $formats in
*sgy*)
    member dt_s | grep -qE '^0\.[0-9]{1,6}$' || fail "dt for SEG-Y is $(member dt_s)"
    [ "$(stat -c %s run/t.sgy)" = $((3600 + 90 * (240 + 40))) ] || fail "size of t.sgy"
    [ "$(stat -c %s run/t.su)" = $((90 * (240 + 40))) ] || fail "size of t.su"
    ;;
esac

# stopped by a signal: exit code 75, traces and field up to there
rm -rf run && mkdir run
stopped="--backend cpu --engine reference --size 24 --snapshot-every 0 --traces t.npy --time-dispersion leave
    --receivers 50,50,50:150,100,80:3"
(cd run && timeout --preserve-status -s TERM 1 "$wave" $stopped --steps 1000000 --field u.npy \
    --json run.json >../stdout 2>../stderr)
got=$?
[ $got = 75 ] || fail "SIGTERM: exit code $got"
grep -q '^wave: stopped by SIGTERM after step [0-9]* of 1000000' stderr ||
    fail "SIGTERM: said $(cat stderr)"
check_files run.json t.npy u.npy
cp run/t.npy first.npy
good $stopped --steps "$(member steps)" --quiet
cmp -s run/t.npy first.npy || fail "SIGTERM: t.npy is not that of a run of as many steps"

# a lost terminal, and a reader that goes away before the end: no half files either
rm -rf run && mkdir run
(cd run && timeout --preserve-status -s HUP 1 "$wave" --backend cpu --engine reference --size 24 \
    --steps 1000000 --field u.npy --quiet --snapshot-every 0 >../stdout 2>../stderr)
[ $? = 75 ] && grep -q 'stopped by SIGHUP after step' stderr || fail "SIGHUP: said $(cat stderr)"
check_files u.npy
rm -rf run && mkdir run
(cd run && exec 3>../code && { sleep 0.3; "$wave" $small --steps 20 --field u.npy --snapshot-every 0 \
    2>../stderr; echo $? >&3; } | true)
[ "$(cat code)" = 75 ] && grep -q 'stopped by SIGPIPE after step 0 of 20' stderr ||
    fail "a closed pipe: exit code $(cat code), said $(cat stderr)"
check_files u.npy

# other programs read what was written
python=""
for candidate in /usr/bin/python3 python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
if [ -n "$python" ]; then
    "$python" "$here/independent.py" "$wave" || fail "tests/cli/independent.py"
    "$python" "$here/frames.py" "$wave" cpu || fail "tests/cli/frames.py"
else
    echo "skipped: python3-numpy is not installed, nothing else reads the files here"
fi
