#!/bin/bash
# The program md (its cpu backend) from outside: report, table, files that other programs read, exit codes.
# Usage: md_cli.sh MD
set -u
program=$1
md=md_on_cpu
# --backend cpu unless the command line names one
md_on_cpu()
{
    case " $* " in *" --backend "*) "$program" "$@" ;; *) "$program" --backend cpu "$@" ;; esac
}
command=(md_on_cpu)
source "$(dirname "$0")/md_refused.sh"
export OMP_NUM_THREADS=2

small="--cells 5"
printf 'c\n2 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nAtoms\n\n1 1 1 1 1\n' >cut.data
printf 'c\n2 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nAtoms\n\n1 1 1 1 1\n2 1 8.99 1 10\n' >outside.data
printf 'c\n2 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\nAtoms\n\n1 1 0.01 1 1\n2 1 8.99 1 1\n' >overlap.data
sed 's/^2 1 8.99 1 10/0 1 8.99 1 1/' outside.data >id0.data
sed 's/^c$/LAMMPS data file, units = metal/' outside.data >metal.data
sed 's/^Atoms/Pair Coeffs # lj\/cut\n\n1 1.25 0.9 2.25\n\nAtoms/' outside.data >pair.data
sed 's/^1 atom types/2 atom types/; s/^Atoms/Masses\n\n1 1.5\n\nAtoms/' outside.data >mass.data
lattice='Lattice="9 0 0 0 9 0 0 0 9"'
printf '1\n%s\nX 1 1 1\n' "$lattice" >small.xyz
printf '2\n%s\nAr 1 1 1\nKr 5 5 5\n' "$lattice" >kinds.xyz
printf '1\n%s Properties=species:S:1:pos:R:3:momenta:R:3\nAr 1 1 1 2 2 2\n' "$lattice" >momenta.xyz
bad 2 "--model must be lj, granular, wca, yukawa, morse or mps (got ion)" --model ion
bad 2 "--cutoff of model wca must be 1.346954458, which its parameters mean (got 2.5); leave it out" \
    --model wca --sigma 1.2 --cutoff 2.5 --dry-run
bad 2 "--kappa is for --model yukawa" --model morse --kappa 1
bad 2 "--alpha must be" --model morse --alpha 0
bad 3 "coefficients of lj/cut are not for --model morse" --model morse --input ../pair.data
bad 2 "--cells" --cells 0
bad 2 "--density must be" --density 0
bad 2 "--dt must be" --dt -0.005
bad 2 "--ensemble must be nve, langevin, berendsen, baoab, bussi, nose-hoover, fire or npt (got nvt)" --ensemble nvt
bad 2 "--final-temperature needs a thermostat: --ensemble" --ensemble fire --final-temperature 1
bad 2 "--force-tolerance needs --ensemble fire (got nve)" --force-tolerance 1
bad 2 "--force-tolerance must be" --ensemble fire --force-tolerance -1
bad 2 "--final-temperature needs a thermostat: --ensemble" --final-temperature 1
bad 2 "--target-temperature needs a thermostat: --ensemble langevin, " --target-temperature 1
bad 2 "--damping needs a thermostat" --ensemble fire --damping 2
bad 2 "--couple-every must be" --ensemble bussi --couple-every 0
bad 2 "--couple-every needs a thermostat: --ensemble langevin, " --couple-every 10
bad 2 "--ensemble baoab acts on each particle in each step: --couple-every must be 1 (got 2)" --ensemble baoab --couple-every 2
bad 2 "--couple-every must be at most a tenth of the damping time, 4 steps, with --ensemble nose-hoover (got 5)" \
    --ensemble nose-hoover --damping 0.2 --couple-every 5
bad 2 "--pressure-damping must be at least ten couplings, 0.2 (got 0.1)" --ensemble npt --pressure 1 \
    --pressure-damping 0.1 --couple-every 4
bad 2 "--couple-every is for --model lj" --model granular --couple-every 2
bad 2 "--damping is for --model lj" --model granular --damping 2
bad 2 "--sort-every auto and --deterministic exclude each other" --sort-every auto --deterministic
bad 2 "--sort-every needs an --ordering other than none" --sort-every auto --ordering none
bad 2 "--ensemble npt needs --pressure P, a number" --ensemble npt
bad 2 "--pressure needs --ensemble npt (got nve)" --pressure 1
bad 2 "--final-pressure needs --ensemble npt (got bussi)" --ensemble bussi --final-pressure 1
bad 2 "--pressure-axes needs --ensemble npt" --pressure-axes axes
bad 2 "--pressure-damping must be at least ten time steps, 0.05 (got 0.04)" --ensemble npt --pressure 1 --pressure-damping 0.04
bad 2 "--pressure-damping must be" --ensemble npt --pressure 1 --pressure-damping 0
bad 2 "--pressure must be" --ensemble npt --pressure much
bad 2 "--pressure-axes must be isotropic or axes (got x)" --ensemble npt --pressure 1 --pressure-axes x
bad 2 "with --ensemble npt (got 0)" --ensemble npt --pressure 1 --target-temperature 0
bad 2 "--ensemble npt needs --backend cpu (got reference)" --ensemble npt --pressure 1 --backend reference --precision f64
bad 2 "--rdf needs a box that stays: --ensemble must not be npt" --ensemble npt --pressure 1 --rdf g.csv
bad 2 "--viscosity needs a box that stays" --ensemble npt --pressure 1 --viscosity eta.csv
bad 2 "must be above 0, with --ensemble nose-hoover (got 0)" --ensemble nose-hoover --target-temperature 0
bad 2 "--backend reference has no thermostat" --backend reference --precision f64 --ensemble bussi
bad 2 "--skin must be" --skin 0
bad 2 "--neighbor must be auto, full, half or tile (got all)" --neighbor all
bad 2 "unknown ordering; legal are" --ordering random
bad 2 "--sort-every needs" --ordering none --sort-every 10
bad 2 "half the box" --cells 3
bad 2 "less than twice the cutoff" --cells 6 --cutoff 6
bad 2 "--cells and --input" --input ../cut.data --cells 5
bad 2 "--backend must be" --backend gpu
bad 2 "--device belongs to --backend cuda" --backend cpu --device 0
bad 2 "--block belongs to --backend cuda" --backend cpu --block 64
bad 2 "--threads belongs to --backend cpu" --backend reference --threads 2
bad 2 "--ordering means nothing" --backend reference --ordering hilbert
bad 2 "from 1 to 4096 (got 65536)" --threads 65536
bad 4 "--backend cuda" --backend auto --device 1000
bad 3 "no_such.data" --input no_such.data
bad 3 "Masses needs a line for each type (1 to 2), its number and a mass above 0 (got Atoms)" --input ../mass.data
bad 3 "1 of 2" --input ../cut.data
bad 2 "--frame is for --input" --frame 0
bad 2 "--frame must be last or a whole number" --input ../outside.data --frame -1
bad 3 "the file has 1 frame, --frame 0 to 0 or last (got 1)" --input ../small.xyz --frame 1
bad 2 "--dump must be a file that ends in .dump, .lammpstrj, .xyz or .extxyz, each also with .gz (got x.vtk)" \
    $small --dump x.vtk --dry-run
bad 2 "--picture must be a file that ends in .png (got x.jpg)" $small --picture x.jpg --dry-run
bad 2 "--epsilon 2 contradicts ../pair.data, which says 1.25" --input ../pair.data --epsilon 2
bad 2 "--cutoff 2 contradicts ../pair.data, which says 2.25" --input ../pair.data --cutoff 2
bad 3 "its units are metal, --model lj takes lj" --input ../metal.data
bad 3 "type 1 has no mass: --masses M1,M2,... of all 2 types" --input ../kinds.xyz
bad 2 "coefficients of types 1 and 1 are missing: --pairs" --input ../kinds.xyz --masses 1,2
bad 2 "coefficients of types 1 and 2 are missing" --model morse --types 1:1 --pairs "1-1; 2-2 depth=2" --dry-run
bad 2 "types 1 and 2: --sigma must be a number above 0 (got -1)" --types 1:1 --pairs "1-1; 2-2; 1-2 sigma=-1" --dry-run
bad 2 "--types must be 2 to 8 shares above 0, as 80:20 (got 1)" --types 1
bad 2 "--types and --input exclude each other" --input ../kinds.xyz --types 1:1
bad 2 "--types is for --model lj" --model granular --types 1:1
bad 2 "--masses must be 2 numbers above 0" --types 1:1 --masses 1,2,3
bad 2 "--masses must be above 0 (got 0 of type 2)" --types 1:1 --masses 1,0
bad 2 "--masses is for particles of several types" --masses 1
bad 2 "kappa=1 is not NAME=NUMBER of epsilon, sigma or cutoff" --types 1:1 --pairs "1-1 kappa=1"
bad 2 "two types up to 2, as 1-2 (got 1-3)" --types 1:1 --pairs "1-3 sigma=1"
bad 2 "types 1-2 are there twice" --types 1:1 --pairs "1-2 sigma=1; 2-1 sigma=1"
bad 3 "momenta need the masses" --input ../momenta.xyz
bad 3 "ids of particles must be 1 to 2" --input ../id0.data
bad 3 "cannot" $small --steps 1 --dump /dev/full
bad 4 "GB are available" --cells 700
bad 4 "at most" --cells 1000
bad 5 "particles 1 and 2 overlap: they are 0.02 apart and must be at least 0.1" --input ../overlap.data
bad 5 "particle" $small --dt 0.7 --steps 100
bad 5 "step" $small --dt 1e6 --steps 5

# The granular gas.
grains="--model granular --size 12,12,12"
bad 2 "--cells is for --model lj" $grains --cells 5
bad 2 "--filling is for --model granular" --filling 0.1
bad 2 "--restitution must be" $grains --restitution 0
bad 2 "--restitution must be a number above 0, up to 1 (got 1.5)" $grains --restitution 1.5
bad 2 "--filling must be at most 0.7405" $grains --filling 0.75
bad 2 "--filling must be at most 0.9069" --model granular --size 20,20 --filling 0.95
bad 2 "sites" $grains --filling 0.72
bad 2 "--gravity needs --walls" $grains --gravity 9.81
bad 2 "--ensemble must be nve" $grains --ensemble langevin
bad 2 "has no thermostat or barostat: --ensemble must be nve" $grains --ensemble npt --pressure 1
bad 2 "half the box" --model granular --size 2.2,9,9 --filling 0.05
bad 3 "z = 10 is outside the box, 0 to 9, which has walls there" --model granular --walls --diameter 0.5 \
    --input ../outside.data
bad 3 "coefficients of lj/cut are not for --model granular" --model granular --input ../pair.data
bad 5 "0.02 apart and must be at least 0.9" --model granular --input ../overlap.data --diameter 1
bad 5 "twentieth of the contact time" $grains --dt 1e-5
bad 2 "--friction is for --model granular" --friction 0.5
bad 2 "--friction must be" $grains --friction -1
bad 2 "--neighbor half does not go with --friction" $grains --friction 0.5 --neighbor half
bad 2 "--incline needs --gravity" $grains --incline 20
bad 2 "--incline must be" $grains --incline 91
bad 2 "--side-walls needs --walls" $grains --side-walls
bad 2 "--wall-friction needs --walls" $grains --wall-friction 0.5
bad 2 "--sizes must be one, two or uniform" $grains --sizes three
bad 2 "--size-ratio must be" $grains --sizes two --size-ratio 0.1
bad 2 "is too much for this --size" $grains --sizes two --filling 0.7
bad 2 "--gas ideal has no --friction" $grains --gas ideal --friction 0.5
bad 2 "--side-walls must be at least 3 diameters apart" --model granular --size 2.5,9,9 --walls --side-walls
# What is measured on the way.
bad 2 "--rdf must be a file that ends in .csv" $small --rdf g.txt
bad 2 "--rdf-range must be at most 4.19899" $small --rdf g.csv --rdf-range 5 --dry-run
bad 2 "--rdf-range must be at most 6, half of the box" $grains --rdf g.csv --rdf-range 7 --dry-run
bad 2 "--rdf needs a periodic box" $grains --walls --rdf g.csv
bad 2 "--viscosity is for particles in three dimensions that conserve" $grains --viscosity eta.csv
bad 2 "--correlation-window must be at least --correlation-every, 10 (got 5)" $small --msd m.csv --correlation-window 5
bad 2 "--correlation-window must be at least --stress-every, 5 (got 4)" $small --viscosity m.csv --correlation-window 4
bad 2 "so its way is in doubt; use a smaller --correlation-every" $small --temperature 30 --dt 0.001 --msd m.csv \
    --correlation-every 300 --steps 600
bad 2 "g.csv cannot be a checkpoint and a result" $small --rdf g.csv --checkpoint g.csv
"$md" $small --steps 60 --thermo 20 --csv thermo.csv --rdf g.csv --rdf-every 20 --msd msd.csv --vacf vacf.csv \
    --stress p.csv --stress-every 20 --viscosity eta.csv --correlation-window 40 --measure-from 20 \
    --picture none --json measures.json --quiet || fail "measurements"
[ "$(wc -l <g.csv)" = 201 ] || fail "g(r) has not 200 rows"
head -1 msd.csv | grep -q '^lag,time,msd,msd_x,msd_y,msd_z,diffusion,origins$' || fail "$(head -1 msd.csv)"
[ "$(wc -l <msd.csv)" = 6 ] || fail "a window of 40 steps has not five lags of 10"
[ "$(tail -1 msd.csv | cut -d, -f1,8)" = 4,1 ] || fail "the last lag: $(tail -1 msd.csv)"
# vacf at 0 is 3 T (N - 1) / N, the mean over the origins; with two of them, of the steps 20 to 60
[ "$(sed -n 2p vacf.csv | cut -d, -f8)" = 5 ] || fail "origins of vacf: $(sed -n 2p vacf.csv)"
# a third of the trace of the pressure tensor is the pressure of the table
awk -F, 'NR == FNR { if (FNR > 1) press[$1] = $6; next } FNR > 1 { n++; d = ($3 + $4 + $5) / 3 - press[$1]
    if (d > 1e-10 || d < -1e-10) exit 1 } END { if (n != 3) exit 1 }' thermo.csv p.csv ||
    fail "pressure tensor and thermo table differ: $(cat p.csv)"
for name in diffusion_msd diffusion_vacf viscosity; do
    grep -q "^  \"$name\": " measures.json || fail "no $name in the report"
done
OMP_NUM_THREADS=1 "$md" $small --steps 60 --rdf g1.csv --rdf-every 20 --measure-from 20 --ordering hilbert --neighbor tile \
    --picture none --quiet || fail "g(r) of tiles"
awk -F, 'NR == FNR { g[FNR] = $4; all += $4; next } { d += $4 > g[FNR] ? $4 - g[FNR] : g[FNR] - $4 } END { exit !(all && d <= 2) }' \
    g.csv g1.csv || fail "g(r) depends on the sweep"
"$md" $grains --steps 20 --rdf gas_g.csv --msd gas_msd.csv --correlation-window 20 --stress gas_p.csv --picture none --quiet ||
    fail "measurements of a gas"

"$md" $grains --walls --gravity 9.81 --shake-amplitude 1.8 --shake-frequency 50 --filling 0.3 \
    --steps 400 --thermo 100 --csv gas.csv --profile height.csv --profile-every 50 --json gas.json \
    --profile-slices 20 --output pictures --dump gas.xyz --quiet 2>err || fail "a gas: $(cat err)"
[ "$(wc -l <gas.csv)" = 6 ] || fail "the CSV of a gas has not five rows"
[ "$(wc -l <height.csv)" = 21 ] || fail "the profile has not twenty slices"
head -1 gas.csv | grep -q '^step,time,temperature,e_kinetic,e_potential,e_total,e_lost,' ||
    fail "head of the CSV: $(head -1 gas.csv)"
awk -F, 'NR > 1 { sum += $3 / 20 } END { exit !(sum > 0.1 && sum < 0.3) }' height.csv ||
    fail "the profile does not hold the filling"
# a row of the report has the columns of the CSV, and its numbers
sed -n '/"thermo": \[/,/^  \]/p' gas.json | tail -n +2 | awk -F'[":, ]+' '/: / { keys = keys "," $2; values = values "," $3 }
    /}/ { if (!n++) print substr(keys, 2); print substr(values, 2); keys = values = "" }' >gas.rows
awk -F, 'NR == FNR { row[FNR] = $0; next }
    FNR == 1 && row[1] != $0 { exit 1 }
    FNR > 1 { n = split(row[FNR], v); for (k = 1; k <= n; k++) if (v[k] + 0 != $k + 0) exit 1 }
    END { if (FNR != 6) exit 1 }' gas.rows gas.csv || fail "report and CSV differ: $(cat gas.rows gas.csv)"
"$md" --model granular --input gas.xyz --walls --gravity 9.81 --shake-amplitude 1.8 \
    --shake-frequency 50 --steps 10 --picture none --quiet || fail "a gas from its own dump"
# rough grains of two sizes go on as they were: both kinetic energies to the nine digits of the dump
rough="--model granular --friction 0.5 --precision f64 --picture none --quiet"
"$md" $rough --size 8,8,8 --filling 0.3 --temperature 0.04 --sizes two --steps 300 --thermo 300 \
    --dump rough.dump --csv rough.csv || fail "rough grains"
"$md" $rough --input rough.dump --steps 0 --csv again.csv || fail "rough grains from their own dump"
awk -F, 'FNR == NR { last = $4; next } FNR == 2 { exit !($4 / last - 1 < 1e-7 && 1 - $4 / last < 1e-7) }' rough.csv again.csv ||
    fail "spins or sizes were lost: $(tail -n 1 rough.csv) $(tail -n 1 again.csv)"
bad 2 "--sizes and --input exclude each other" --model granular --input ../rough.dump --sizes two
awk '/^ITEM: ATOMS/ { $0 = "ITEM: ATOMS x y z omegaz"; print; next } NF > 6 { print $3, $4, $5, 7; next } { print }' rough.dump >spin.dump
bad 2 "its grains spin, as rough ones do: give --friction" --model granular --input ../spin.dump
awk '/^ITEM: ATOMS/ { n = 1; print; next } n == 1 { $9 /= 5; $10 /= 125; n = 2 } { print }' rough.dump >tiny.dump
bad 3 "it must be at least a quarter of that of the largest" --model granular --input ../tiny.dump --friction 1
"$md" --model granular --size 20,20 --filling 0.4 --gas elastic --steps 50 --picture none --quiet \
    --dump layer.xyz || fail "a layer"
bad 3 "a layer cannot start from a file" --model granular --input ../layer.xyz

# Report, table and CSV tell the same.
"$md" $small --steps 40 --thermo 20 --json run.json --csv run.csv --dump run.xyz.gz --dump-every 20 \
    --output pictures >table 2>err || fail "a plain run: $(cat err)"
for name in program version backend device why kernel model atoms steps ordering neighbor precision box loop_s \
    atom_steps_per_s time_s loop_time_s neighbors_per_atom thermo energy_drift options; do
    grep -q "^  \"$name\": " run.json || fail "no $name in the report"
done
# The drift under a thermostat is that of what is conserved; that of the energy, which heat leaves, is above 10 here.
"$md" $small --steps 50 --thermo 10 --ensemble bussi --picture none --json bath.json >bath || fail "a thermostat"
drift=$(sed -n 's/^  "energy_drift": \([-0-9.e]*\),*$/\1/p' bath.json)
awk -v drift="$drift" 'BEGIN { exit !(drift != "" && drift * drift < 1) }' || fail "what is conserved drifts by $drift"
grep -q '^  "couple_every": 10,$' bath.json || fail "how often a thermostat acts"
grep -q '"why": ".*coupled every 10 steps: the most' bath.json || fail "why so often: $(grep '"why"' bath.json)"
grep -q '^# conserved drift ' bath || fail "whose drift it is: $(grep drift bath)"
[ "$(grep -c '"e_pair": ' run.json)" = 3 ] || fail "the report has not three rows"
[ "$(grep -vc '^#' table)" = 3 ] || fail "the table has not three rows"
[ "$(wc -l <run.csv)" = 4 ] || fail "the CSV has not three rows"
grep -q '^ *0 *1.44 *-6.7733681 *0 *-4.61' table || fail "step 0: $(grep -v '^#' table | head -1)"
grep -q '^# *Step  *Temp  *E_pair  *E_mol  *TotEng  *Press$' table || fail "no head: $(cat table)"
[ "$(head -c 4 pictures/md.png | tail -c 3)" = PNG ] || fail "no picture"
[ -s err ] && fail "standard error holds $(cat err)"

# Lists that may have come too late are told of; those of the defaults never do.
"$md" $small --steps 60 --skin 0.03 --rebuild-every 5 --rebuild-check --picture none --json late.json \
    >table 2>err || fail "a thin skin"
grep -q '^md: warning: .* may have come too late' err || fail "no warning of a thin skin: $(cat err)"
grep -q '"dangerous_builds": [1-9]' late.json || fail "no dangerous builds in the report"
"$md" $small --steps 60 --skin 0.03 --picture none >table 2>err || fail "a thin skin with the defaults"
grep -q '^md: warning: .* no pair was missed' err || fail "no warning of single steps: $(cat err)"
"$md" $small --steps 60 --picture none --json run.json >table 2>err || fail "the defaults"
[ -s err ] && fail "the defaults warn: $(cat err)"
grep -q ' 0 dangerous builds$' table && grep -q '"dangerous_builds": 0' run.json ||
    fail "the defaults count dangerous builds: $(cat table)"

# Where it runs is said, and where there is a GPU that auto does not take, why.
"$md" $small --steps 1 --picture none >table 2>err || fail "a step"
grep -q '^# md .*, backend cpu: [0-9]* CPU thread' table || fail "no backend: $(head -1 table)"
"$program" $small --steps 1 --picture none --json auto.json >table 2>err || fail "a step on auto"
if [ -e /proc/driver/nvidia/version ] && grep -q '^# md .*, backend cpu' table; then
    grep -q '^# the GPU is not used: .' table && grep -q '"gpu_not_used": ".' auto.json ||
        fail "not a word why auto does not take the GPU: $(head -3 table)"
else
    grep -q 'GPU is not used' table && fail "a GPU that is not there: $(head -3 table)"
fi

# A report on standard output is alone there.
"$md" $small --steps 2 --picture none --json - >json 2>err || fail "--json -"
[ "$(head -c 1 json)" = "{" ] && [ "$(tail -n 1 json)" = "}" ] || fail "--json -: $(head -3 json)"

# The same run from its own data file, and from a compressed one; --dry-run writes nothing.
"$md" $small --steps 0 --picture none --quiet --write-data start.data.gz || fail "--write-data"
gunzip -c start.data.gz >start_plain.data
"$md" --input start.data.gz --steps 40 --thermo 20 --picture none --quiet --csv again.csv ||
    fail "--input"
cmp run.csv again.csv || fail "a run from the written data differs"
mkdir empty && (cd empty && "$md" $small --dry-run >../dry) || fail "--dry-run"
[ -z "$(ls -A empty)" ] && grep -q '^# memory' dry || fail "--dry-run: $(cat dry)"
# What a file of LAMMPS says of the interaction counts as if it were options; so do wrapped positions.
data="--steps 20 --thermo 10 --picture none --quiet --ensemble nve --seed 5"
sed '/^Velocities/,$d' start_plain.data >cold.data
# particle 3 of 500, some box lengths away
awk '/xhi$/ { edge = $2 } $1 == 3 && NF == 5 { $4 -= 7 * edge } { print }' OFMT=%.17g CONVFMT=%.17g \
    cold.data >moved.data
sed 's/^Atoms/Pair Coeffs # lj\/cut\n\n1 1.25 0.9 2.25\n\nAtoms/' moved.data >pair.data
"$md" --input pair.data $data --csv said.csv || fail "Pair Coeffs"
"$md" --input moved.data $data --epsilon 1.25 --sigma 0.9 --cutoff 2.25 --csv given.csv || fail "wrapped"
"$md" --input cold.data $data --epsilon 1.25 --sigma 0.9 --cutoff 2.25 --csv cold.csv || fail "in the box"
cmp said.csv given.csv || fail "Pair Coeffs are not taken as options are"
# the position loses the digits of 7 edges, 60: 60 * 1.1e-16 times forces of a few tens
paste -d, given.csv cold.csv | awk -F, 'NR > 1 && ($3 - $10) ^ 2 > 1e-24 { exit 1 }' ||
    fail "a wrapped position is another one: $(cat given.csv cold.csv)"

# A run goes on from any frame of its dump, which has nine digits of each number.
"$md" $small --steps 40 --dump frames.dump.gz --dump-every 20 --picture none --quiet || fail "--dump"
for frame in 0 1 last; do
    "$md" --input frames.dump.gz --frame $frame --steps 0 --picture none --quiet --csv $frame.csv ||
        fail "--frame $frame"
done
paste -d, <(tail -n +2 run.csv) <(for frame in 0 1 last; do tail -n 1 $frame.csv; done) |
    awk -F, '{ if (($3 - $10) ^ 2 > 1e-12 || ($2 - $9) ^ 2 > 1e-12) exit 1 }' ||
    fail "frames: $(cat 0.csv 1.csv last.csv)"

for ensemble in langevin berendsen; do
    "$md" $small --ensemble $ensemble --target-temperature 0.5 --damping 0.1 --steps 400 \
        --picture none --quiet --csv bath.csv || fail "--ensemble $ensemble"
    # 500 particles: fluctuations of T of a few per cent around 0.5
    tail -1 bath.csv | awk -F, '{ exit !($2 > 0.42 && $2 < 0.58) }' ||
        fail "$ensemble: $(tail -1 bath.csv)"
done

"$md" --input frames.dump.gz --ensemble fire --force-tolerance 0.5 --thermo 20 --steps 5000 --picture none --quiet --csv fire.csv ||
    fail "--ensemble fire"
tail -1 fire.csv | awk -F, '{ exit !($1 % 20 == 0 && $1 > 0 && $1 < 5000 && $2 >= 0 && $8 <= 0.5) }' ||
    fail "fire: $(tail -1 fire.csv)"
[ "$(awk -F, 'NR > 1 && $8 <= 0.5' fire.csv | wc -l)" = 1 ] || fail "fire goes on: $(cat fire.csv)"

# The table grows row by row, in the file and on standard output: kill -9 loses nothing of it.
"$program" --backend cpu $small --steps 100000000 --thermo 10 --csv log.csv --picture none >log.table 2>err &
runner=$!
for try in {1..200}; do
    [ -e log.csv ] && [ "$(wc -l <log.csv)" -gt 6 ] && break
    sleep 0.1
done
kill -9 $runner
wait $runner 2>/dev/null
[ "$(grep -vc '^#' log.table)" -gt 5 ] || fail "a killed run: the table is $(cat log.table)"
awk -F, 'NF != 7 || NR > 1 && $1 != 10 * (NR - 2) { exit 1 } END { exit NR < 7 }' log.csv &&
    [ -z "$(tail -c 1 log.csv)" ] || fail "a killed run: the CSV is $(cat log.csv)"
# a table that is written anew stays as it was until there is a row of the new one
echo kept >kept.csv
"$md" --input cut.data --csv kept.csv --picture none --quiet 2>err
[ "$(cat kept.csv)" = kept ] || fail "a run that failed replaced the old table"
# compressed: what there is can be unpacked
"$md" $small --steps 40 --thermo 20 --csv run.csv.gz --picture none --quiet || fail "--csv run.csv.gz"
gunzip -c run.csv.gz | cmp - run.csv || fail "a compressed table differs"

[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
