#!/bin/bash
# `md --model mps`: what it refuses and how, and the files it writes. Usage: mps_cli.sh MD
md=$1
command=("$md" --model mps)
source "$(dirname "$0")/md_refused.sh"

bad 2 "--spacing must be" --spacing 0
bad 2 "--spacing must be" --spacing -0.01
bad 2 "--dimensions must be 2 or 3 (got 4)" --dimensions 4
bad 2 "--influence must be 1.5 to 4" --influence 9
bad 2 "--fluid-density must be" --fluid-density 0
bad 2 "higher or wider than the tank" --column 0.1,0.9
bad 2 "too little to be periodic" --spacing 0.03
bad 2 "--tank z" --spacing 0.3
bad 2 "outside the tank" --gauges 9,0,0
bad 2 "--gauges must be" --gauges 0.1
bad 2 "--water: box 1 goes from 0 to 0.9 m along y; it must lie in the tank, 0 to 0.4 m" --water 0,0,0:0.1,0.9,0.08
bad 2 "the lower end first" --obstacle 0.3,0,0:0.2,0.1,0.08
bad 2 "--obstacle: box 2 is 0.001 m along x, which makes no whole --spacing" --spacing 0.01 \
    --obstacle 0.2,0,0:0.3,0.1,0.08 --obstacle 0.35,0,0:0.351,0.1,0.08
bad 2 "--obstacle box 1 overlaps with --water box 2" --water 0,0,0:0.1,0.2,0.08 \
    --water 0.3,0,0:0.4,0.2,0.08 --obstacle 0.2,0,0:0.32,0.1,0.08
bad 2 "--obstacle box 1 overlaps with --water box 1" --obstacle 0.05,0,0:0.32,0.1,0.08
bad 2 "the --gate overlaps with --water box 1" --gate 0.09:1
bad 2 "--water must be at most 16 boxes, each two corners of 3 numbers, X0,Y0,Z0:X1,Y1,Z1" --water 0,0:0.1,0.1
bad 2 "--water must be" --water 0,0,0
bad 2 "--water must be" --water 0,0,0:1,1,1:2
bad 2 "--water and --column exclude each other" --water 0,0,0:0.1,0.1,0.08 --column 0.1,0.1
bad 2 "--gate must be X:T or X:T:SPEED" --gate 0.2
bad 2 "--gate must be X:T or X:T:SPEED" --gate 0:1
bad 2 "--gate must stand at 0.01 to 0.36 m along x" --spacing 0.01 --gate 0.38:1
bad 2 "--gate must open at 0 s or later" --gate 0.2:-1
bad 2 "--gate must move at 0 to less than the sound speed" --gate 0.2:1:500
bad 2 "--height-gauges must be at most 64 points of 2 numbers, x,z;..." --height-gauges 0.1
bad 2 "--height-gauges: 0.1,0.2 is outside the tank, 0 to 0.08 m along z" --height-gauges '0.1,0.04;0.1,0.2'
bad 2 "--height-gauges must be at most 64 points of 1 number, x;..." --dimensions 2 --height-gauges 0.1,0
bad 2 "--pressure-probes must be at most 64 points of 3 numbers, x,y,z;..." --pressure-probes 0.1
bad 2 "--pressure-probes: 0.1,0,9 is outside the tank" --pressure-probes 0.1,0,9
bad 2 "--pressure-probes must be less than a spacing, 0.01 m, off a face" --spacing 0.01 --pressure-probes '0,0,0;0.2,0.2,0.04'
bad 2 "--sound-speed must be given" --gravity 0
bad 2 "--sort-every needs" --ordering none --sort-every 10
bad 2 "--backend must be" --backend gpu
bad 2 "--device belongs to --backend cuda" --backend cpu --device 0
bad 2 "--block belongs to --backend cuda" --backend cpu --block 64
bad 4 "--backend cuda" --backend auto --device 1000
bad 2 "unknown" --cells 5
bad 3 "cannot" --spacing 0.01 --steps 1 --dump /dev/full --front none
bad 2 "--dump must be a file that ends in .dump, .lammpstrj, .xyz or .extxyz" --dump run.vtk --dry-run
bad 2 "--picture must be a file that ends in .png" --picture run.jpg --dry-run
bad 4 "available" --spacing 0.0001
bad 5 "above the Courant limit" --dt 0.1
bad 5 "above the Courant limit" --sound-speed 1000 --dt 1e-4

tank="--model mps --dimensions 2 --spacing 0.01 --steps 60"
"$md" $tank --thermo 20 --gauges '0.05,0;0.4,0.01' --csv run.csv --json run.json --dump run.xyz \
    --dump-every 1 --frame-every 2 --output dam >table 2>err || fail "a plain run: $(cat err)"
[ -s err ] && fail "standard error holds $(cat err)"
[ "$(head -1 dam/front.csv)" = 't,x,x/L,t*sqrt(2g/L)' ] || fail "front.csv: $(head -1 dam/front.csv)"
for name in dam/front.csv dam/gauges.csv run.csv; do
    [ "$(wc -l <$name)" = 5 ] || fail "$name has $(wc -l <$name) lines"
done
[ "$(grep -c pressure run.xyz)" = 4 ] || fail "the dump has not four frames"
for name in dam_break frame_0000 frame_0001; do
    [ "$(head -c 4 dam/$name.png | tail -c 3)" = PNG ] || fail "no picture $name"
done
for name in program version backend device why kernel model atoms steps ordering neighbor precision box loop_s \
    atom_steps_per_s time_s loop_time_s n0 dt_limit_s options; do
    grep -q "^  \"$name\": " run.json || fail "no $name in the report"
done
# x = 0.1 m at first, further and further then; x/L is x / 0.1 m
awk -F, 'NR == 2 && $2 != 0.1 || NR > 3 && $2 <= last || NR > 1 && ($3 - $2 / 0.1)^2 > 1e-12 { exit 1 }
         { last = $2 }' dam/front.csv || fail "front.csv: $(cat dam/front.csv)"
# Boxes, a gate and heights: water that a closed gate holds keeps its height, 0.2 m, to a hundredth
# of that; where the floor is dry there is none. 0.16 x 0.2 m and 0.1 x 0.1 m make 320 + 100 particles.
"$md" --model mps --dimensions 2 --spacing 0.01 --steps 200 --thermo 50 --backend cpu --output boxes \
    --tank 0.5,0.3,1 --water 0,0:0.16,0.2 --water 0.4,0:0.5,0.1 --obstacle 0.3,0:0.34,0.05 \
    --gate 0.16:9:1 --height-gauges '0.08;0.25;0.45' --pressure-probes '0.08,0;0.34,0.02' --picture none --json boxes.json >table 2>err ||
    fail "boxes: $(cat err)"
grep -q '(420 fluid' table || fail "boxes: $(cat table)"
grep -q '# heights in boxes/heights.csv' table || fail "boxes: $(cat table)"
[ "$(head -1 boxes/heights.csv)" = 't,h(0.08 0),h(0.25 0),h(0.45 0)' ] || fail "heights: $(head -1 boxes/heights.csv)"
awk -F, 'NR > 1 && (($2 - 0.2) ^ 2 > 4e-6 || $3 != 0 || ($4 - 0.1) ^ 2 > 4e-6) { exit 1 } END { exit NR != 6 }' \
    boxes/heights.csv || fail "heights: $(cat boxes/heights.csv)"
[ "$(head -1 boxes/probes.csv)" = 't,p(0.08 0 0),p(0.34 0.02 0)' ] || fail "probes: $(head -1 boxes/probes.csv)"
# under the water there is pressure, and on the dry side of the obstacle none
awk -F, 'NR > 2 && !($2 > 0) || NR > 1 && $3 != 0 { exit 1 } END { exit NR != 6 }' boxes/probes.csv ||
    fail "probes: $(cat boxes/probes.csv)"
# Tables grow row by row: what a killed run has is there.
mkdir killed
(cd killed && exec "$md" --model mps --dimensions 2 --spacing 0.01 --time 1000 --thermo 10 --gauges 0.05,0 --csv run.csv --quiet >/dev/null 2>&1) &
runner=$!
for try in {1..200}; do
    [ -e killed/run.csv ] && [ "$(wc -l <killed/run.csv)" -gt 6 ] && break
    sleep 0.1
done
kill -9 $runner
wait $runner 2>/dev/null
for name in front:4 gauges:2 run:15; do
    awk -F, -v n=${name#*:} 'NF != n { exit 1 } END { exit NR < 7 }' killed/${name%:*}.csv ||
        fail "a killed run: ${name%:*}.csv is $(cat killed/${name%:*}.csv)"
done
"$md" $tank --dry-run --quiet --json - --output none | grep -q '"dt_limit_s"' || fail "--dry-run"
[ -e none ] && fail "--dry-run made a directory"
"$md" --model=mps --help | grep -q 'gauges' || fail "--help"
[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
