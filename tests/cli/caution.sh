# Sourced by run.sh: what is legal but hardly meant gets a warning of one line, which --quiet silences and the
# report keeps.
thin="--backend cpu --engine reference --steps 2 --snapshot-every 0"
open="$thin --size 30x26x22 --absorbing sponge --boundary absorbing"

good $open --absorbing-width 7 --source 150,130,110
warns "absorbing layers of 8 cells leave 6 of the 22 cells along z undamped" $open --absorbing-width 8 --source 150,130,110
warns "absorbing layers of 20 cells leave 6 of the 26 cells along y undamped" $thin --size 60x26x60 \
    --boundary absorbing,y-=free --absorbing sponge --source 300,50,300
rm -rf run && mkdir run
(cd run && "$wave" $open --quiet --json run.json >../stdout 2>../stderr) || fail "layers of 20 cells: exit code $?"
[ ! -s stderr ] || fail "--quiet says $(cat stderr)"
for axis in x y z; do
    grep -q "leave 0 of the [0-9]* cells along $axis undamped" run/run.json || fail "no warning of $axis in the report"
done

# cells 0 to 4 are damped, so 50 m is the first place that is not
good $open --absorbing-width 5 --source 50,100,100 --receivers 240,200,160 --traces t.npy
warns "1 of 1 sources in an absorbing layer, which damps what is sent from there: source 0 lies 1 of 5 cells deep in that of x-" \
    $open --absorbing-width 5 --source 40,100,100
warns "2 of 3 receivers in an absorbing layer, which damps what is recorded there: receiver 2 lies 3.5 of 5 cells deep in that of z+" \
    $open --absorbing-width 5 --receivers '100,100,100;245,100,100;245,100,195' --traces t.npy
good $thin --size 30 --spacing 0.1 --boundary absorbing --absorbing-width 3 --source 0.3,1,1 # 0.3 / 0.1 rounds
good $open,z+=free --absorbing-width 5 --source 100,100,210 # no layer there
warns "absorbing layers of 8 cells leave 7 of the 23 cells along y undamped" $thin --order 4 --size 40x23x40 \
    --boundary absorbing --source 200,110,200

warns "y has one cell, which its free faces pull to zero like a stiff spring; for two dimensions give --size NXxNZ" \
    $thin --size 30x1x20
warns "z has one cell" $thin --size 30x20x1 --boundary rigid,z+=free
good $thin --size 30x1x20 --boundary free,y=rigid
good $thin --size 30x1x20 --boundary free,y=periodic
good $thin --size 30x20

# --dry-run plans for any machine
for engine in reference stepwise torre; do
    warns "are available" --dry-run --backend cpu --engine $engine --size 200000 --steps 1000 --json run.json
    grep -q '^time .* 1000 steps of 0.0020' stdout && grep -q '^memory  *[0-9]*.* PiB on the host' stdout &&
        grep -q '^cost  *8e+09 Gcell updates' stdout || fail "--dry-run of a large run: $(cat stdout)"
    [ "$(member dry_run)" = true ] && grep -q 'are available"' run/run.json ||
        fail "the report of a large dry run: $(cat run/run.json)"
done
bad 4 "more memory than 64 bits can count" --dry-run --backend cpu --size 900000000x100000000x1 --boundary rigid

# nor need its model fit: here a limit of the data that a process may have is half of the file (32 MiB, all 785 m/s)
model() { "$wave" "$@" --quiet --backend cpu --threads 1 --velocity large.npy --json - 2>stderr; }
npy large.npy "$(printf '%s%53s' "{'descr': '<f4', 'fortran_order': False, 'shape': (4096, 2048), }" "")" ""
{ cat inputs/large.npy; head -c 33554432 /dev/zero | tr '\0' 'D'; } >large.npy && rm inputs/large.npy
if (ulimit -d 16384 && "$wave" --version >stdout 2>&1); then
    (ulimit -d 16384 && model --dry-run >stdout) && grep -q '"velocity_max": 785.0' stdout ||
        fail "--dry-run of a model above the limit: $(cat stderr)"
    (ulimit -d 16384 && model --steps 1 >stdout) && fail "the limit is none: the run itself should meet it"
fi
