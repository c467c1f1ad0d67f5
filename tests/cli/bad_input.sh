# Sourced by run.sh: everything that must be refused, each with one line and its exit code.
mkdir inputs
r="--backend cpu --engine reference --size 12 --steps 3"

# values, written to files through printf: NaN and others as little-endian f32
npy() # FILE DICTIONARY VALUES(printf format)
{
    local length=${#2}
    { printf '\x93NUMPY\x01\x00'; printf "\\x$(printf %02x $((length % 256)))\\x$(printf %02x $((length / 256)))"
      printf '%s' "$2"; printf "$3"; } >"inputs/$1"
}
one='\x00\x00\x80\x44' # 1024
npy flat.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }" "$one$one$one$one"
npy line.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" "$one$one$one$one"
npy cube.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }" "$one$one$one$one"
npy deep.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }" "$one$one$one$one$one$one$one$one"
npy short.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }" "$one$one$one"
npy whole.npy "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }" "$one$one$one$one"
npy zero.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }" "$one$one\0\0\0\0$one"
npy nan.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }" "$one\0\0\xc0\x7f$one$one"
npy huge.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (99999, 99999, 99999), }" "$one"
printf 'not an array' >inputs/text.npy
printf '1,2\n' >inputs/two.csv
printf 'x,y,z\n' >inputs/empty.csv
printf '1,2,3\n4,five,6\n' >inputs/word.csv
printf '1\n2\nthree\n' >inputs/word.txt
mkdir inputs/folder.npy
ln -s flat.npy inputs/link.npy

# options
bad 2 "unknown option --recievers; did you mean --receivers?" --recievers 1,1,1
bad 2 "unknown option --stesp=3; did you mean --steps?" --stesp=3
bad 2 "unknown option --nonsense" --nonsense
bad 2 "unknown option -z" -z
bad 2 "unexpected argument model.npy" model.npy
bad 2 "--steps is given twice" --steps 3 --steps 4
bad 2 "--steps needs a value" --steps
bad 2 "--quiet takes no value" --quiet=yes
bad 2 "--s is ambiguous" --s 3
bad 2 "--order must be 2, 4, 6, 8, 10 or 12 (got 3)" --order 3
bad 2 "--order must be 2, 4, 6, 8, 10 or 12 (got 8x)" --order 8x
bad 2 "--dts must be auto or a whole number from 1 to 1024 (got 0)" --dts 0
bad 2 "--dts must be" --dts -1
bad 2 "--dts must be" --dts 1.5
bad 2 "--tower-height must be" --tower-height 0
bad 2 "--steps must be" --steps -5
bad 2 "--steps must be" --steps 99999999999999999999
bad 2 "--steps must be" --steps nan
bad 2 "--steps must be" --steps ""
bad 2 "--size must be" --size 10x0
bad 2 "--size must be" --size 0x10x10
bad 2 "--size must be" --size 10x10x10x10
bad 2 "--size must be" --size 10,10,10
bad 2 "--size must be" --size 10x-10x10
bad 2 "--size must be" --size 99999999999999999999
bad 2 "--size must be" --size " 10"
bad 2 "--spacing must be" --spacing 0
bad 2 "--spacing must be" --spacing -1
bad 2 "--spacing must be" --spacing inf
bad 2 "--spacing of a grid of 3 dimensions must be H or HX,HY,HZ (got 2 numbers)" --spacing 1,2
bad 2 "--spacing of a grid of 2 dimensions must be H or HX,HZ (got 3 numbers)" --size 10x10 --spacing 1,2,3
bad 2 "--spacing must be" --spacing 1,2,nan
bad 2 "--spacing must be" --spacing 1e999
bad 2 "--velocity must be" --velocity fast
bad 2 "--velocity must be" --velocity -1500
bad 2 "--velocity must be" --velocity 0
bad 2 "--velocity must be" --velocity 0x10
bad 2 "--dt must be" --dt 0
bad 2 "--dt must be" --dt 1mm
bad 2 "--dt must be" --dt nan
bad 2 "--dt 0.1 gives Courant number" $r --dt 0.1
bad 2 "--courant 0.6 gives Courant number 0.6, unstable above 0.4529 at order 8" $r --courant 0.6
bad 2 "(or --force)" $r --courant 0.6
bad 2 "exclude each other" $r --dt 1e-3 --courant 0.1
bad 2 "--courant must be" --courant 0
bad 2 "--frequency must be" --frequency -3
bad 2 "--amplitude must be" --amplitude nan
bad 2 "--amplitude must be" --amplitude 1e-400
bad 2 "--precision must be f32 or f64 (got f16)" --precision f16
bad 2 "--engine must be auto, torre, stepwise or reference (got fast)" --engine fast
bad 2 "--ordering diagonal: unknown ordering; legal are row-major" --ordering diagonal
bad 2 "--backend must be auto, cpu or cuda (got opencl)" --size 12 --backend opencl
bad 2 "--threads must be" --threads 0
bad 2 "--threads must be" --threads 1e9
bad 2 "--boundary must be" $r --boundary open
bad 2 "--boundary must be" $r --boundary x-=free,x-=rigid
bad 2 "--boundary must be" $r --boundary w=free
bad 2 "--boundary must be" $r --boundary free,
bad 2 "--boundary must be" $r --boundary free,rigid
bad 2 "periodic faces come in pairs" $r --boundary x-=periodic
for wish in "--engine torre" "--dts 2" "--tower-height 8"; do
    bad 2 "--engine torre has no periodic faces along x; use --engine stepwise" --backend cpu --size 12 --steps 3 \
        $wish --boundary x=periodic
done
bad 2 "--absorbing-width must be" --absorbing-width 0
bad 2 "--absorbing must be sponge, pml or cpml" $r --boundary absorbing --absorbing PML
bad 2 "--absorbing belongs to --boundary absorbing" $r --absorbing pml
bad 2 "absorbing layers of 9 cells need at least 26 cells along x at order 8 (got 12); give a larger --size or a smaller --absorbing-width" \
    --backend cpu --size 12 --steps 3 --order 8 --boundary absorbing --absorbing pml --absorbing-width 9
bad 2 "--snapshot-plane must be" $r --snapshot-plane zx
bad 2 "INDEX from 0 to 11 (got xy@12)" $r --snapshot-plane xy@12
bad 2 "INDEX from 0 to 11" $r --snapshot-plane xy@
bad 2 "--snapshot-every must be" --snapshot-every -1
bad 2 "--snapshot-scale must be" --snapshot-scale 0
bad 2 "--seed belongs to --initial noise" $r --seed 3
bad 2 "--frequency belongs to --wavelet ricker" $r --wavelet word.txt --frequency 3
for option in "--wavelet ricker" "--frequency 3" "--amplitude 2"; do
    bad 2 "${option% *} belongs to sources, and --source none leaves none" $r --source none $option
    bad 2 "belongs to sources, and --initial without --source has none" $r --initial noise $option
done
bad 2 "--snapshot-plane belongs to pictures" $r --snapshot-every 0 --snapshot-plane xy
bad 2 "--snapshot-scale belongs to pictures" $r --snapshot-every 0 --snapshot-scale 1
bad 2 "--snapshot-format belongs to pictures" $r --snapshot-every 0 --snapshot-format npy
bad 2 "--snapshot-scale belongs to pictures, and --snapshot-format npy makes none" $r --snapshot-format npy --snapshot-scale 1
bad 2 "--snapshot-format must be npy, h5 or png (got jpg)" $r --snapshot-format jpg
bad 2 "--field-every belongs to --field; give --field FILE" $r --field-every 2
bad 2 "--field-every must be" $r --field u.npy --field-every 0
bad 2 "--field must be a file that ends in .npy, .h5, .vtkhdf or .hdf5 (got u.png)" $r --field u.png --field-every 2
bad 2 "--absorbing-width belongs to --boundary absorbing" $r --absorbing-width 5
bad 2 "--device belongs to --backend cuda (got --backend cpu)" $r --device 0
bad 2 "--receivers needs --traces" $r --receivers 1,1,1
bad 2 "--traces needs --receivers" $r --traces t.npy
bad 2 "--traces must be" $r --receivers 1,1,1 --traces t.csv
bad 2 "--traces must be" $r --receivers 1,1,1 --traces t.npy,
bad 2 "--field and --traces both write u.npy" $r --field u.npy --receivers 1,1,1 --traces u.npy
bad 2 "--traces and --traces both write ./t.npy" $r --receivers 1,1,1 --traces t.npy,./t.npy
bad 2 "--field and --json both write flat.npy" $r --json flat.npy --field link.npy
bad 2 "--field must be a file that ends in .npy, .h5, .vtkhdf or .hdf5 (got -)" $r --field -
bad 2 "--field must be a file that ends in .npy, .h5, .vtkhdf or .hdf5 (got u.sgy)" $r --field u.sgy --dry-run
bad 2 "--field must be a file that ends in .npy, .h5, .vtkhdf or .hdf5 (got .npy)" $r --field .npy
bad 2 "--initial must be noise or one or two file names" $r --initial ,
bad 2 "--initial must be noise or one or two file names" $r --initial cube.npy,
bad 2 "--source must be x,y,z[,amplitude]" $r --source 1,2
bad 2 "--source must be" $r --source "1,2,3;"
bad 2 "--source must be" $r --source 1,2,3,nan
bad 2 "source 1 is too strong" $r --source "1,2,3;4,5,6,1e300"
bad 2 "source 0 is too strong" $r --velocity 1e-60
bad 2 "particle velocity needs --density" $r --receivers 1,2,3,z --traces v.npy
bad 2 "components along an axis need --interpolation sinc" $r --source 1,2,3,z --interpolation trilinear
bad 2 "source 0: x = 1000 m lies outside the grid (0 to 110 m)" $r --source 1000,0,0
bad 2 "source 0: x = 110.0001 m lies outside the grid (0 to 110 m)" $r --source 110.0001,0,0
bad 2 "x = 10.00001 m is between cells and closer than 4 cells to the rigid face x-" $r --boundary x-=rigid \
    --source 10.00001,0,0
bad 2 ", a multiple of 10 m, or --interpolation trilinear" $r --boundary x-=rigid --source 10.00001,0,0
bad 2 "source 1: z = -1 m lies outside" $r --source "0,0,0;0,0,-1"
bad 2 "receiver 1: y = 110.5 m lies outside" $r --receivers "0,0,0;0,110.5,0" --traces t.npy

# files that go in
bad 3 "cannot read missing.npy: No such file or directory" --velocity missing.npy
bad 3 "cannot read folder.npy: Is a directory" --velocity folder.npy
bad 3 "text.npy is not a readable .npy file" --velocity text.npy
bad 3 "short.npy is truncated" --velocity short.npy --size 2x3x2
bad 3 "whole.npy holds values of type '<i4'" --velocity whole.npy --size 2x3x2
bad 3 "huge.npy is truncated" --velocity huge.npy
bad 3 "line.npy has one axis" --velocity line.npy
bad 2 "--size 3x3x3 does not match flat.npy, which needs 2x2 (a plane) or a number of cells along y" \
    --velocity flat.npy --size 3x3x3
bad 2 "--size 3x2 does not match flat.npy, which needs 2x2" --velocity flat.npy --size 3x2
bad 2 "--size 2x2 does not match deep.npy, which needs 2x2x2" --velocity deep.npy --size 2x2
bad 2 "does not match cube.npy, which needs 1x2x2" --velocity cube.npy --size 2x2x2
bad 3 "zero.npy: velocity at cell (1, 0, 0) is 0" --velocity zero.npy --size 2x3x2
bad 3 "velocity at cell (0, 0, 1) is nan" --velocity nan.npy
for value in 0 -1000 nan inf heavy; do
    bad 2 "--density must be a number of kg/m^3 above 0 or a file" $r --density $value
done
bad 3 "cannot read missing.npy: No such file or directory" $r --density missing.npy
bad 3 "short.npy is truncated" --density short.npy --size 2x3x2
bad 2 "--size 3x3x3 does not match cube.npy, which needs 1x2x2" --density cube.npy --size 3x3x3
bad 3 "zero.npy: density at cell (1, 0, 0) is 0; it must be a positive number of kg/m^3" --density zero.npy --size 2x3x2
bad 3 "nan.npy: density at cell (0, 0, 1) is nan" --density nan.npy --size 1x2x2
bad 3 "cannot read missing.npy" $r --initial missing.npy
bad 3 "flat.npy has 2 axes" $r --initial flat.npy
bad 3 "the grid is 12x12x12" $r --initial cube.npy
bad 3 "nan.npy: value at cell (0, 0, 1) is nan" --backend cpu --engine reference --size 1x2x2 --initial nan.npy \
    --snapshot-every 0 --quiet
bad 3 "cannot read missing.csv" $r --source missing.csv
bad 3 "two.csv:1: expected x,y,z[,amplitude][,component], found 2 columns" $r --source two.csv
bad 3 "empty.csv holds no points" $r --source empty.csv
bad 3 "word.csv:2: column 2 is not a number (got five)" $r --receivers word.csv --traces t.npy
bad 3 "word.txt:3: expected one number (got three)" $r --wavelet word.txt
bad 3 "cannot read missing.txt" $r --wavelet missing.txt
bad 3 "flat.npy has 2 axes; a wavelet has one" $r --wavelet flat.npy

# files that go out
bad 3 "cannot write missing/u.npy: No such file or directory" $r --field missing/u.npy
bad 3 "cannot write folder.npy: Is a directory" $r --field folder.npy
bad 3 "cannot write missing/t.npy" $r --receivers 1,1,1 --traces missing/t.npy
bad 3 "cannot write missing/run.json" $r --json missing/run.json
bad 3 "cannot create directory text.npy/pictures: Not a directory" $r --output text.npy/pictures
if [ -w /dev/full ]; then
    q="$r --quiet --snapshot-every 0"
    bad 3 "cannot write /dev/full: No space left on device" $q --field /dev/full
    bad 3 "cannot write /dev/full: No space left on device" $q --field /dev/full --field-every 1
    bad 3 "/dev/full: cannot write the report: No space left on device" $q --json /dev/full
    ln -s /dev/full inputs/full.npy
    ln -s /dev/full inputs/full.png
    bad 3 "cannot write full.npy: No space left on device" $q --receivers 1,1,1 --traces full.npy
    bad 3 "cannot write full.png: No space left on device" $q --receivers 1,1,1 --traces full.png
    (cd inputs && "$wave" $q --json - >/dev/full 2>../stderr)
    [ $? = 3 ] && grep -q 'No space left on device' stderr || fail "--json - on a full disk"
    (cd inputs && "$wave" --help >/dev/full 2>../stderr)
    [ $? = 3 ] && grep -q 'standard output: No space left' stderr || fail "--help on a full disk"
fi
# a regular file that cannot grow: nothing of it is left (ulimit -f counts 1024 bytes)
files="u.npy t.npy t.png"
"$wave" --version | grep -q 'with SEGYIO' && files="$files t.sgy t.su"
for file in $files; do
    into="--receivers 0,0,0:9,9,9:9 --traces $file"
    [ $file = u.npy ] && into="--field $file"
    (cd inputs && trap '' XFSZ && ulimit -f 4 && "$wave" --backend cpu --engine reference --size 16 \
        --steps 300 --quiet --snapshot-every 0 $into >../stdout 2>../stderr)
    [ $? = 3 ] && grep -q "cannot write $file: File too large" stderr ||
        fail "$file on a full disk: $(cat stderr)"
done
ls inputs | grep '\.part$\|^[ut]\.' && fail "a full disk left $(ls inputs)"

# memory and devices
bad 2 "overflows a 64-bit byte count" --size 999999999
bad 4 "bytes" --backend cpu --engine reference --size 200000
bad 4 "are available" --backend cpu --engine reference --size 12 --steps 1000000000000 --source none --receivers 0,0,0 --traces t.npy
bad 4 "--backend cuda" --size 12 --device 1000
"$wave" --version | grep -q 'with CUDA' || bad 4 "--backend cuda" --size 12 --backend cuda

# SEG-Y and SU
if "$wave" --version | grep -q 'with SEGYIO'; then
    bad 2 "whole microseconds (1 to 32767), this run has 1000.5; set --dt 1000e-6" $r \
        --dt 1000.5e-6 --receivers 1,1,1 --traces t.sgy
    if [ -w /dev/full ]; then
        ln -s /dev/full inputs/full.sgy
        bad 3 "cannot write full.sgy: SEG-Y and SU need a regular file" $r --receivers 1,1,1 --traces full.sgy
    fi
    bad 2 "at most 32767 samples a trace, this run has 40001" --backend cpu --engine reference --size 12 \
        --steps 40000 --receivers 1,1,1 --traces t.su
    far="$r --spacing 1e6 --dt 1e-3 --traces t.sgy"
    bad 2 "receiver 0: SEG-Y and SU hold coordinates up to 2147483.647 m, this run has y = 3000000 m" \
        $far --source 0,0,0 --receivers 1,3e6,0
    bad 2 "source 0: SEG-Y and SU hold coordinates up to" $far --dry-run --source 3e6,0,0 --receivers 1,1,1
    bad 3 "cannot write t.su: the largest value," $r --precision f64 --snapshot-every 0 --quiet \
        --source 50,50,50,1e60 --receivers 50,50,50 --traces t.su
else
    bad 2 "not in this build" $r --receivers 1,1,1 --traces t.sgy
fi

# unstable: code 5 and no results; the warning that --force gives is silenced by --quiet
bad 5 "is not finite at cell" --backend cpu --engine reference --size 12 --steps 400 --courant 2 --force --quiet \
    --field u.npy --receivers 1,1,1 --traces t.npy --json run.json --snapshot-every 0
