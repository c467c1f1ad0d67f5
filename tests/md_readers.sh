#!/bin/bash
# Files of md in other programs, and theirs in md: LAMMPS, ASE, MDAnalysis, OVITO, those of them that
# are installed (Debian: lammps, python3-ase; PyPI: MDAnalysis, ovito; TORRE_PYTHON names a Python).
# Usage: md_readers.sh MD   Exit 77 where there is none of them.
set -u
md=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
source "$(dirname "$0")/failures.sh"
export OMP_NUM_THREADS=2 QT_QPA_PLATFORM=offscreen
readers=0
run() { "$md" --backend cpu --picture none --quiet "$@" || fail "md $*"; }

# Three frames each of a periodic box, a gas between walls and water in a tank.
for ending in xyz dump; do
    run --cells 5 --steps 20 --dump-every 10 --dump lj.$ending
    run --model granular --size 12,12,12 --walls --gravity 9.81 --filling 0.1 --steps 20 --dump-every 10 \
        --dump gas.$ending --write-data gas.data
    run --model mps --spacing 0.01 --steps 20 --thermo 10 --dump-every 1 --front none --dump mps.$ending
done
for reader in ase MDAnalysis ovito; do
    for python in "${TORRE_PYTHON:-}" /usr/bin/python3 python3; do
        [ -n "$python" ] && "$python" -c "import numpy, $reader" 2>/dev/null || continue
        readers=$((readers + 1))
        "$python" -W ignore "$here/md_readers.py" $reader || fail "$reader"
        continue 2
    done
    echo "not checked with $reader, which is not installed"
done

# The energies and the pressure of step 0 of a run from a file: e_pair press
start() { run "$@" --steps 0 --csv start.csv; tail -n 1 start.csv | awk -F, '{ print $3, $6 }'; }

# What ASE and OVITO have written of the last frame is that frame. Positions have eight digits behind
# the point: 5e-9 times forces of up to a hundred; a pressure with other velocities would be 0.6 off.
start --input lj.dump >md.rows
for file in from_*; do
    [ -e "$file" ] || continue
    start --input "$file" >their.rows
    paste md.rows their.rows | awk '{ exit ($1 - $3) ^ 2 > 1e-12 || ($2 - $4) ^ 2 > 1e-8 }' ||
        fail "$file: $(paste md.rows their.rows)"
done

# same TOLERANCE FILE FILE COLUMNS: the numbers of both agree, row by row
same()
{
    paste <(cut -d' ' -f1-"$4" "$2") <(cut -d' ' -f1-"$4" "$3") | awk -v n="$4" -v t="$1" '
        NF != 2 * n { exit bad = 1 }
        { for (k = 1; k <= n; k++) if (($k - $(k + n)) ^ 2 > t * t) exit bad = 1 }
        END { exit bad || NR == 0 }'
}

lammps() { lmp -in "$1" -log log.lammps >out.lammps 2>&1 || fail "LAMMPS: $(grep ERROR out.lammps)"; }

check_lammps()
{
    # A melt that LAMMPS takes from md and brings back, with coefficients, image flags and, in dumps,
    # unsorted rows, fractions and positions that were never wrapped. Printed with 15 digits: energies
    # and pressures of a few units, sums of 10^4 pairs, agree within 10^4 1e-15.
    run --cells 6 --steps 0 --write-data melt.data
    cat >in.melt <<'END'
units lj
read_data melt.data
pair_style lj/cut 2.4
pair_coeff 1 1 1.25 0.9
neigh_modify delay 0 every 1 check yes
fix 1 all nve
timestep 0.005
thermo 100
thermo_style custom step epair press
thermo_modify norm yes format float %.15g
dump 1 all custom 100 frames.dump id type xs ys zs vx vy vz
dump 2 all custom 100 far.dump.gz type id xu yu zu vx vy vz ix iy iz fx
dump_modify 1 format float %.15g
dump_modify 2 format float %.15g
run 200
write_data back.data
write_data pair.data pair ij
END
    lammps in.melt
    awk '/^Step/ || /^ *Step/ { on = 1; next } /Loop time/ { on = 0 } on { print $2, $3 }' log.lammps >lammps.rows
    grep -q ' -[1-9][0-9]* *[-0-9]*$' back.data || fail "LAMMPS has moved nothing across the box"
    for frame in 0 1 2; do start --input frames.dump --frame $frame --epsilon 1.25 --sigma 0.9 --cutoff 2.4; done >md.rows
    same 1e-11 md.rows lammps.rows 2 || fail "frames with fractions: $(paste md.rows lammps.rows)"
    for frame in 0 1 last; do start --input far.dump.gz --frame $frame --epsilon 1.25 --sigma 0.9 --cutoff 2.4; done >md.rows
    same 1e-11 md.rows lammps.rows 2 || fail "frames that were never wrapped: $(paste md.rows lammps.rows)"
    tail -n 1 lammps.rows >lammps.last
    start --input back.data --cutoff 2.4 >md.rows
    same 1e-11 md.rows lammps.last 2 || fail "write_data: $(cat md.rows lammps.last)"
    start --input pair.data >md.rows
    same 1e-11 md.rows lammps.last 2 || fail "write_data pair ij: $(cat md.rows lammps.last)"

    # Spheres between walls, as data and as a dump; water in a tank.
    cat >in.read <<'END'
units si
atom_style sphere
atom_modify map array
boundary p p f
read_data gas.data
dump 1 all custom 1 gas.text id type x y z vx vy vz radius mass
dump_modify 1 sort id format float %.9g
run 0
undump 1
read_dump gas.dump 20 x y z vx vy vz box yes
write_dump all custom gas.again id type x y z vx vy vz radius mass modify sort id format float %.9g
clear
units si
atom_modify map array
boundary f f p
region tank block 0 0.1 0 0.1 0 0.08
create_box 3 tank
mass * 1
read_dump mps.dump 20 x y z vx vy vz box yes add keep
write_dump all custom mps.text id type x y z vx vy vz modify sort id format float %.9g
END
    lammps in.read
    frame() { awk -v f="$2" '/TIMESTEP/ { n++ } /^ITEM: ATOMS/ { on = n == f; next } /^ITEM/ { on = 0 } on' "$1"; }
    # nine digits of numbers up to some hundreds (ids), pressures left out
    compare() # FILE OF MD, FRAME OF IT, FILE OF LAMMPS, COLUMNS
    {
        frame "$1" "$2" >md.rows
        frame "$3" 1 >lammps.rows
        [ "$(wc -l <md.rows)" = "$(wc -l <lammps.rows)" ] && same 1e-9 md.rows lammps.rows "$4" || fail "LAMMPS reads $1"
    }
    compare gas.dump 1 gas.text 10
    compare gas.dump 3 gas.again 10
    compare mps.dump 3 mps.text 8
    # the box of the water with its walls, as md wrote it
    bounds() { awk '/BOX BOUNDS/ { print; left = 3; next } left-- > 0 { print $1 + 0, $2 + 0 }' "$1" | head -4; }
    [ "$(bounds mps.dump)" = "$(bounds mps.text)" ] || fail "box: $(bounds mps.dump), LAMMPS $(bounds mps.text)"
}
if command -v lmp >/dev/null; then
    readers=$((readers + 1))
    check_lammps
else
    echo "not checked with LAMMPS: lmp is not installed"
fi
[ $readers = 0 ] && exit 77
[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
