#!/bin/bash
# The melt of each pair model against LAMMPS (Debian: apt install lammps) from identical initial
# velocities, f64: temperature, energies and pressure of steps 0 to 100 agree to the digits that
# rounding leaves.
# Usage: md_lammps.sh MD [MD-OPTION]...   Exit 77 where lmp is not installed.
set -u
command -v lmp >/dev/null || { echo "skipped: lmp is not installed"; exit 77; }
md=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# compare NAME "OPTION..." PAIR-STYLE PAIR-COEFFICIENTS MODIFY MD-OPTION...
compare()
{
    local name=$1 options=$2 style=$3 coefficients=$4 modify=$5
    shift 5
    # Every step's lists: a pair that a list misses would differ between the two programs.
    # shellcheck disable=SC2086
    "$md" --precision f64 --thermo 50 --rebuild-every 1 --picture none --write-data melt.data \
        --csv md.csv --quiet $options "$@" || exit 1
    cat >in.melt <<END
units lj
atom_style atomic
atom_modify map array
read_data melt.data
pair_style $style
pair_coeff 1 1 $coefficients
$modify
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
timestep 0.005
fix 1 all ${fix:-nve}
thermo 50
thermo_style custom step temp epair etotal press
thermo_modify norm yes format float %.15g
run 100
END
    lmp -in in.melt -log log.lammps >out.lammps 2>&1 || { cat out.lammps; exit 1; }

    awk -F, -v name="$name" 'NR == FNR { if (FNR > 1) { n++; for (k = 1; k <= 7; k++) row[n, k] = $k } next }
        /^Step/ || /^ *Step/ { on = 1; next }
        /Loop time/ { on = 0 }
        on { split($0, w, " "); r++
             # columns step,temp,e_pair,e_mol,e_total,press of the CSV; step temp epair etotal press
             for (k = 1; k <= 5; k++) {
                 mine = row[r, k < 4 ? k : k + 1]; error = mine - w[k]
                 if (error < 0) error = -error
                 if (error > 1e-6) { print name ", row " r ", column " k ": " mine ", LAMMPS " w[k]; bad = 1 }
                 if (error > most) most = error
             } }
        END { print name ": " r " rows, largest difference " most; exit bad || r != 3 }' md.csv log.lammps
}

bad=0
compare lj "" "lj/cut 2.5" "1.0 1.0 2.5" "" "$@" || bad=1
compare wca "--model wca --cells 10" "lj/cut 1.122462048309373" "1.0 1.0" "pair_modify shift yes" "$@" || bad=1
compare yukawa "--model yukawa --cells 10 --strength 8 --kappa 1.5 --cutoff 3" "yukawa 1.5 3" 8 "" "$@" || bad=1
compare morse "--model morse --cells 10 --alpha 5 --equilibrium 1.1 --depth 1.2" "morse 2.5" "1.2 5 1.1" "" "$@" || bad=1
# Kob and Andersen, of different masses here; given and mixed
pairs="1-1 epsilon=1 sigma=1 cutoff=2.5; 2-2 epsilon=0.5 sigma=0.88 cutoff=2.2"
mixture="--cells 8 --density 1.2 --temperature 1 --types 80:20 --masses 1,0.7"
own=$'1 1 2.5\npair_coeff 2 2 0.5 0.88 2.2'
compare kob-andersen "$mixture" "lj/cut 2.5" "$own"$'\npair_coeff 1 2 1.5 0.8 2.0' "" "$@" \
    --pairs "$pairs; 1-2 epsilon=1.5 sigma=0.8 cutoff=2" || bad=1
compare mixed "$mixture" "lj/cut 2.5" "$own" "pair_modify mix arithmetic" "$@" --pairs "$pairs" || bad=1
# the same chain of thermostats, towards a target that changes
fix="nvt temp 1.3 0.8 0.4" compare nose-hoover "--ensemble nose-hoover --target-temperature 1.3 --final-temperature 0.8
    --damping 0.4 --couple-every 1 --steps 100" "lj/cut 2.5" "1.0 1.0 2.5" "" "$@" || bad=1
# barostats with the same chains, of the volume and of each edge, towards a pressure that changes (where
# the temperature does, LAMMPS begins a step of the barostat's chain with that of the step before)
npt="--ensemble npt --target-temperature 1.3 --damping 0.4 --pressure 2 --final-pressure 7
    --pressure-damping 0.3 --couple-every 1 --steps 100"
fix="npt temp 1.3 1.3 0.4 iso 2 7 0.3" compare npt-isotropic "$npt" "lj/cut 2.5" "1.0 1.0 2.5" "" "$@" || bad=1
fix="npt temp 1.3 1.3 0.4 aniso 2 7 0.3" compare npt-axes "$npt --cells 12x10x8 --pressure-axes axes" "lj/cut 2.5" \
    "1.0 1.0 2.5" "" "$@" || bad=1
fix="npt temp 1.3 1.3 0.4 iso 2 7 0.3" compare npt-types "$npt $mixture" "lj/cut 2.5" "$own" "pair_modify mix arithmetic" \
    "$@" --pairs "$pairs" || bad=1

# What both find as the minimum of a crystal that was warm: its lattice, with forces that round to nothing.
"$md" --cells 5 --density 1.09 --temperature 0.3 --steps 20 --precision f64 --dump warm.xyz --dump-every 20 \
    --picture none --quiet "$@" || exit 1
"$md" --input warm.xyz --ensemble fire --force-tolerance 1e-9 --steps 5000 --thermo 50 --precision f64 \
    --write-data melt.data --csv md.csv --picture none --quiet "$@" || exit 1
cat >in.minimum <<END
units lj
atom_style atomic
read_data melt.data
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
min_style fire
timestep 0.005
thermo_style custom step epair
thermo_modify norm yes format float %.15g
minimize 0 1e-9 10000 10000
END
lmp -in in.minimum -log log.minimum >out.lammps 2>&1 || { cat out.lammps; exit 1; }
lammps=$(awk '/^ *Step/ { on = 1; next } /Loop time/ { on = 0 } on { last = $2; step = $1 } END { print step, last }' log.minimum)
tail -1 md.csv | awk -F, -v lammps="$lammps" '{ split(lammps, l, " "); off = $3 - l[2]
    print "minimum: " $3 " after " $1 " steps, LAMMPS " l[2] " after " l[1]
    exit !(off < 1e-9 && off > -1e-9 && $8 <= 1e-9) }' || bad=1
exit $bad
