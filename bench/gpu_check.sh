#!/bin/bash
# Build, test, sanitize and measure the CUDA backend on a machine with an NVIDIA GPU.
# Usage: bench/gpu_check.sh [BUILD_DIR]; environment: ORDERS (list, "2;4": which to build, test and
# measure; all), DTS (list of kernels to build), ARCH (CMAKE_CUDA_ARCHITECTURES, default native), PARTS ("build test sanitize bench"; with several
# GPUs the last three can run beside each other once the first is done, CUDA_VISIBLE_DEVICES apart).
# On compute capability 9.0 the kernels for GPUs without TMA are built, tested and measured, too, in
# BUILD_DIR-plain. racecheck has a build of its own, BUILD_DIR-race: see RACECHECK in cuda/core/ptx.cuh.
set -o pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-build-gpu}
parts=${PARTS:-build test sanitize bench}
IFS=';' read -ra orders <<<"${ORDERS:-2;4;6;8;10;12}"
options=(-DCMAKE_BUILD_TYPE=Release)
cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
[ -n "$ORDERS" ] && options+=("-DTORRE_ORDERS=$ORDERS")
[ -n "$DTS" ] && options+=("-DTORRE_DTS=$DTS")
# many cores: the kernels of one file at once
flags=
nvcc --help 2>/dev/null | grep -q -e --split-compile && flags=-split-compile=0
status=0
note() { echo "== $* ($SECONDS s)"; }

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
build() { # DIR ARCHITECTURES OPTION...
    cmake -S "$root/cmake/gpu" -B "$1" "${options[@]}" "-DCMAKE_CUDA_FLAGS=$flags" \
        "-DCMAKE_CUDA_ARCHITECTURES=$2" "${@:3}" >"$1.configure.log" 2>&1 || { cat "$1.configure.log"; exit 1; }
    cmake --build "$1" -j "$(nproc)" >"$1.log" 2>&1 || { tail -60 "$1.log"; exit 1; }
    note "built $1"
}
plain=
[ "$cc" = 90 ] && plain=$build-plain
if [[ $parts == *build* ]]; then
    build "$build" "${ARCH:-$cc-real}"
    [ -z "$plain" ] || build "$plain" 90-real -DTORRE_TMA=OFF
    build "$build-race" "${ARCH:-$cc-real}" -DTORRE_DTS=3 \
        "-DCMAKE_CUDA_FLAGS=$flags -DTORRE_CUDA_RACECHECK"
fi

# Most of the tests is the reference engine, on one core, and most of the sanitizers is the host's
# work, too; so everything at a time.
threads=$((($(nproc) + 2 * ${#orders[@]} - 1) / (2 * ${#orders[@]})))
check() { # DIR ORDER
    OMP_NUM_THREADS=$threads timeout 300 "$1/test_wave_cuda" all $2 >"$1.test$2.log" 2>&1
}
sanitize() { # ORDER: one tool after the other
    local tool program failed=0
    for tool in memcheck racecheck synccheck; do
        program=$build/test_wave_cuda
        [ $tool = racecheck ] && program=$build-race/test_wave_cuda
        timeout 120 compute-sanitizer --tool $tool --error-exitcode 9 "$program" small $1 \
            >"$build.$tool$1.log" 2>&1 || failed=1
    done
    return $failed
}
if [[ $parts == *test* ]]; then
    jobs=()
    for order in "${orders[@]}"; do
        check "$build" $order & jobs+=($!)
        [ -z "$plain" ] && continue
        check "$plain" $order & jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait $job || status=1; done
    for order in "${orders[@]}"; do
        for dir in "$build" $plain; do
            grep FAIL "$dir.test$order.log" | head -5
            note "tests${dir#"$build"}, order $order: $(tail -1 "$dir.test$order.log")"
        done
    done
fi
if [[ $parts == *sanitize* ]]; then
    jobs=()
    for order in "${orders[@]}"; do sanitize $order & jobs+=($!); done
    for job in "${jobs[@]}"; do wait $job || status=1; done
    for order in "${orders[@]}"; do
        for tool in memcheck racecheck synccheck; do
            note "$tool order $order: $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$build.$tool$order.log" | tail -1)"
        done
    done
fi
if [[ $parts == *bench* ]]; then
    main=1024x1024x512
    cases=()
    towers=()
    for order in "${orders[@]}"; do
        if [ $order -gt 8 ]; then # no towers
            cases+=($order:s:0:0:{$main,$main:model,512x512x512:f64})
            continue
        fi
        towers+=($order)
        for size in 128x128x128 256x256x256 1024x1024x256 $main 1024x1024x1024; do
            cases+=($order:s:0:0:$size $order:t:0:0:$size)
        done
        cases+=($order:{s,t}:0:0:$main:model $order:{s,t}:0:0:$main:model:density $order:t:0:0:$main:points
                $order:t:0:0:$main:absorbing $order:t:0:0:$main:model:absorbing
                $order:{s,t}:0:0:512x512x512:f64)
        # samples of a pass are copied while the next one runs
        cases+=($order:t:0:0:$main:steps=512 $order:t:0:0:$main:points:steps=512)
        # flat, odd and narrow grids, some of whose axes are turned, and layers
        for size in 501x501x501 1000x1000x1000 512x512x1440 2048x2048x{64,37} 4096x4096x16 \
            8192x8192x4 1024x1024x1 4096x4096x1 16384x16384x1; do
            cases+=($order:a:0:0:$size)
        done
        [ $order = 2 ] && cases+=(2:t:0:0:{1280x1280x1280,1536x1536x1536,2048x2048x2048})
        # what the order of the blocks is worth: the L2 cache between neighbours
        [ $order = 2 ] || [ $order = 8 ] || continue
        for ordering in morton hilbert; do
            cases+=($order:s:0:0:$main:$ordering $order:t:0:0:$main:$ordering)
        done
    done
    # a grid that fills the memory: two fields, a twentieth to spare
    mib=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits | head -1)
    edge=$(awk -v m="$mib" 'BEGIN { print int((m * 0.95 / 8 * 1048576) ^ (1 / 3) / 128) * 128 }')
    for order in "${towers[@]}"; do
        cases+=($order:t:0:0:${edge}x${edge}x$edge)
        [ $order = 2 ] || [ $order = 8 ] && cases+=($order:s:0:0:${edge}x${edge}x$edge)
    done
    timeout 600 "$build/bench_wave_cuda" "${cases[@]}" | tee "$build.csv" || status=1
    if [ -n "$plain" ]; then
        plain_cases=()
        for order in "${towers[@]}"; do
            plain_cases+=($order:{t,s}:0:0:512x512x512)
            [ $order = 2 ] || continue
            plain_cases+=(2:t:4:0:512x512x512 2:{t,s}:0:0:512x512x512:{model,f64}
                          2:t:0:0:512x512x512:{points,absorbing}
                          2:t:0:0:{1024x1024x512,256x256x256})
        done
        timeout 60 "$plain/bench_wave_cuda" "${plain_cases[@]}" | tee "$plain.csv" || status=1
    fi
fi
note "done, status $status"
exit $status
