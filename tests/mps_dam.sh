#!/bin/bash
# The dam break runs to its end: nobody leaves the tank, energy never grows, water keeps its volume.
# Usage: mps_dam.sh MD [OPTION...]      (options go to md). Exit 77 where md has not the device.
md=$1
shift
"$md" --model mps "$@" --dry-run --quiet || exit $(($? == 4 ? 77 : 1)) # no such device
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failures=0

# name, mass of the water (kg; in the plane kg/m), spacing, options
dam() {
    local name=$1 mass=$2 spacing=$3
    shift 3
    "$md" --model mps "$@" --output "$here" --csv "$here/dam.csv" --picture none >"$here/table" \
        2>"$here/err" || { echo "FAILED $name: $(cat "$here/err")"; failures=1; return; }
    # Energy: every step rounds positions and velocities, in f32 to 1.2e-7 of the box or their own
    # size, for one row's steps. Centre of mass: between that of the column (0.1 m) and that of a
    # pool over the whole floor, 0.025 m, half of the spacing that a surface sinks lower.
    awk -F, -v name="$name" -v mass="$mass" -v spacing="$spacing" '
        function bad(what) { printf "FAILED %s, step %d: %s\n", name, $c["step"], what; failed = 1 }
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        NR == 2 { first = least = $c["energy"]; start = $c["potential"] }
        {
            energy = $c["energy"]
            sum = $c["kinetic"] + $c["potential"] + $c["elastic"]
            rounding = 1.2e-7 * ($c["step"] - last) * first
            if ((sum / energy - 1) ^ 2 > 1e-14) bad("energy " energy " is not the sum " sum)
            if (energy > least + rounding) bad("energy grows from " least " to " energy " J")
            if ($c["excursion"] > 0.1) bad($c["excursion"] " spacings outside the tank")
            if ($c["speed"] > 6) bad("a particle moves at " $c["speed"] " m/s")
            if (($c["compression"] - 1) ^ 2 > 1e-4) bad("n/n0 inside is " $c["compression"])
            centre = 0.1 - (start - $c["potential"]) / (mass * 9.81)
            if (centre > 0.1001 || centre < 0.025 - spacing / 2) bad("centre of mass at " centre " m")
            least = energy < least ? energy : least
            last = $c["step"]
            if ($c["front"] > far) far = $c["front"]
        }
        END {
            if (NR < 100) bad("only " NR " rows")
            if (far < 0.4 - spacing) bad("the front came to " far " m only")
            exit failed
        }' "$here/dam.csv" || failures=1
    grep 'steps in' "$here/table"
}

dam small 1.578947 0.0052632 --size small "$@"
dam "small with side walls, twice the spacing" 1.6 0.01 --spacing 0.01 --side-walls "$@"
dam "in the plane" 20 0.0025 --dimensions 2 --spacing 0.0025 "$@"

# water nearly as fast as its sound is too soft for walls: it leaves, and the run says so
"$md" --model mps --spacing 0.01 --sound-speed 3 --output "$here" --picture none "$@" >"$here/table" 2>"$here/err"
[ $? = 5 ] && [ "$(wc -l <"$here/err")" = 1 ] && grep -q 'went through a wall\|faster than' "$here/err" ||
    { echo "FAILED too low a sound speed: $(cat "$here/err")"; failures=1; }
exit $failures
