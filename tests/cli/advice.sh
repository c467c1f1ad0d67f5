# Sourced by run.sh: whoever follows the advice of a message gets no other.
thin="--backend cpu --engine reference --steps 2 --snapshot-every 0"

# says PATTERN ARGUMENT...: what the group of the pattern matches on standard error
says()
{
    local pattern=$1
    shift
    (cd inputs && "$wave" "$@" >/dev/null 2>../stderr)
    sed -nE "s/.*$pattern.*/\\1/p" stderr
}

# follow PATTERN OPTION ARGUMENT...: the number that the pattern finds, as OPTION in place of an earlier one
follow()
{
    local pattern=$1 option=$2 number
    shift 2
    number=$(says "$pattern" "$@")
    [ -n "$number" ] || { fail "wave $*: no advice '$pattern' in: $(cat stderr)"; return; }
    local kept=() skip=0
    for word; do
        [ $skip = 1 ] && skip=0 && continue
        [ "$word" = "$option" ] && skip=1 && continue
        kept+=("$word")
    done
    good "${kept[@]}" "$option" "$number"
}

# a time step that is too long, in three and two dimensions, with equal and unequal spacing
for size in "--size 12" "--size 12x14"; do
    for order in 2 4 8 12; do
        r="$thin $size --order $order"
        follow 'use dt <= ([^ ]+) s' --dt $r --dt 0.0123
        follow 'spacing >= ([^ ]+) m' --spacing $r --dt 0.0123
        follow 'velocities <= ([^ ]+) m' --velocity $r --dt 0.0123
        follow 'use --courant ([^ ]+) or less' --courant $r --courant 0.777
    done
done
for spacing in 10,8,5 7,7,7.001; do
    factor=$(says 'spacings ([^ ]+) times as large' $thin --size 12 --spacing $spacing --dt 0.0123)
    good $thin --size 12 --dt 0.0123 --spacing "$(awk -F, "{ f = $factor + 0
        printf \"%.12g,%.12g,%.12g\", \$1 * f, \$2 * f, \$3 * f }" <<<$spacing)"
done
follow 'or --order ([0-9])' --order $thin --size 12 --order 8 --courant 0.46
follow 'or --order ([0-9])' --order $thin --size 12 --order 8 --courant 0.57
[ -z "$(says '(or --order)' $thin --size 12 --order 8 --courant 0.58)" ] || fail "no order has Courant number 0.58"

# waves too short for the grid; a file has its own frequency
coarse="$thin --size 16 --velocity 1700 --frequency 37.7"
follow 'take --frequency ([^ ]+), or' --frequency $coarse
follow 'or --spacing ([^ ]+) with' --spacing $coarse
slow() { awk "BEGIN { for (i = 0; i < 600; i++) print sin(2 * 3.14159265 * i / $1) }"; }
slow 6 >inputs/fast.txt
longer=$(says 'take a wavelet of ([^ ]+) times' ${thin/steps 2/steps 600} --size 12 --wavelet fast.txt)
slow "(6 * ${longer:-1})" >slow.txt
good ${thin/steps 2/steps 600} --size 12 --wavelet "$work/slow.txt"

# faces that towers cannot have
towers="--backend cpu --size 12 --steps 2 --snapshot-every 0 --engine torre"
follow 'use --engine ([a-z]*)' --engine $towers --boundary x=periodic
follow 'use --engine ([a-z]*)' --engine $towers --boundary y=periodic

# a time step that SEG-Y cannot hold
if "$wave" --version | grep -q 'with SEGYIO'; then
    segy="$thin --size 12 --receivers 10,10,10 --traces t.sgy"
    follow 'set --dt ([^ ]+), or' --dt $segy --dt 1000.7e-6
    follow 'set --dt ([^ ]+), or' --dt $segy --dt 0.05 --velocity 30
    [ -z "$(says '(set --dt)' $segy --velocity 2e7)" ] || fail "a larger time step is no cure: it is unstable"
fi
