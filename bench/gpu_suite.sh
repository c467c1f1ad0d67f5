#!/bin/bash
# Everything that only a machine with an NVIDIA GPU can show, with the programs as users build them: the
# tests labelled gpu, the checks of gpu_check.sh for waves, what NumPy reads of frames, the programs
# under compute-sanitizer.
#
#     gpu_suite.sh [BUILD_DIR]
#
# Environment: PARTS, of "build test programs sanitize bench" (all of them); ARCH (native); OPTIONS, of
# CMake. Logs lie in BUILD_DIR/suite; the exit code is 0 if nothing failed.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath -m "${1:-build-gpu}")
parts=" ${PARTS:-build test programs sanitize bench} "
logs=$build/suite
mkdir -p "$logs"
status=0
note() { echo "== $* ($SECONDS s)"; }
has() { [[ $parts == *" $1 "* ]]; }
# try NAME COMMAND...: its log, and a line of what came out
try()
{
    local name=$1
    shift
    if "$@" >"$logs/$name.log" 2>&1; then
        note "$name: $(tail -1 "$logs/$name.log")"
    else
        echo "FAIL $name: exit code $?"
        tail -15 "$logs/$name.log"
        return 1
    fi
}
# all of the jobs that run
gather() { local job; for job in $(jobs -p); do wait "$job" || status=1; done; }

configure() # DIR FLAGS OPTION...
{
    local dir=$1 flags=$2
    shift 2
    # many cores: the kernels of one file at once
    cmake -S "$root" -B "$dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTORRE_CUDA=ON -DTORRE_PYTHON=OFF \
        "-DCMAKE_CUDA_ARCHITECTURES=${ARCH:-native}" "-DCMAKE_CUDA_FLAGS=-split-compile=0 $flags" ${OPTIONS:-} "$@"
}
if has build; then
    try configure configure "$build" "" || exit 1
    try configure-plain configure "$build-plain" "" -DTORRE_TMA=OFF "-DTORRE_DTS=1;3;4;6" || exit 1
    try configure-race configure "$build-race" -DTORRE_CUDA_RACECHECK "-DTORRE_DTS=3" || exit 1
    try build cmake --build "$build" || exit 1
    try build-plain cmake --build "$build-plain" --target test_wave_cuda bench_wave_cuda || exit 1
    try build-race cmake --build "$build-race" --target test_wave_cuda || exit 1
fi
if has test; then
    PARTS=test try wave "$root/bench/gpu_check.sh" "$build" &
    try ctest ctest --test-dir "$build" -L gpu -E '^test_wave_cuda$' -j 4 --output-on-failure &
    gather
    grep -h '^==\|FAIL' "$logs/wave.log"
fi
if has programs; then
    try frames python3 "$root/tests/cli/frames.py" "$build/wave" cuda &
    try doctor "$build/doctor" &
    gather
    # ranks with a GPU each: all tests of more than one
    gpus=$(nvidia-smi --list-gpus | wc -l)
    [ "$gpus" -lt 2 ] || [ ! -x "$build/test_md_ranks" ] ||
        try ranks "$build/test_md_ranks" cuda $((gpus < 5 ? gpus : 5)) || status=1
fi

# One small run of every kernel of the programs under memcheck; racecheck of waves: gpu_check.sh.
sanitized() # PROGRAM OPTION...
{
    local program=$1 folder
    shift
    folder=$(mktemp -d) || return
    (cd "$folder" && timeout 200 compute-sanitizer --tool memcheck --leak-check full --error-exitcode 9 "$build/$program" \
        --backend cuda --quiet "$@")
    local code=$?
    rm -rf "$folder"
    return $code
}
if has sanitize; then
    PARTS=sanitize try wave-sanitize "$root/bench/gpu_check.sh" "$build" &
    for neighbor in full half tile; do
        for precision in f32 f64 mixed; do
            try "md-$neighbor-$precision" sanitized md --cells 8 --steps 21 --thermo 5 --neighbor $neighbor \
                --precision $precision --ordering hilbert --picture none &
        done
        [ $neighbor = half ] || try "granular-$neighbor" sanitized md --model granular --size 24,24,10 --walls --gravity 9.81 \
            --shake-amplitude 1.8 --shake-frequency 50 --steps 40 --neighbor $neighbor --picture none &
    done
    for ensemble in langevin baoab bussi nose-hoover 'npt --pressure 1'; do
        # shellcheck disable=SC2086 # options of npt
        try "md-${ensemble%% *}" sanitized md --cells 8 --steps 41 --thermo 10 --target-temperature 1 --picture none \
            --ensemble $ensemble &
    done
    try mps sanitized md --model mps --spacing 0.012 --steps 6 --picture none --gauges '0.1,0.01,0.04' \
        --height-gauges '0.05,0.04' --pressure-probes '0,0.02,0.04' &
    for order in 2 8 10; do
        try "wave-$order" sanitized wave --order $order --size 70x50x40 --steps 40 --velocity 1500 --boundary absorbing,z-=free \
            --absorbing sponge --absorbing-width 8 --source 203,205,207 --receivers 105,106,107:300,300,200:9 --traces t.npy --field u.npy --snapshot-every 10 &
    done
    gather
    grep -h '^==\|FAIL' "$logs/wave-sanitize.log"
fi
if has bench; then
    PARTS=bench try bench "$root/bench/gpu_check.sh" "$build" || status=1
    cat "$build.csv"
fi
note "done, status $status"
exit $status
