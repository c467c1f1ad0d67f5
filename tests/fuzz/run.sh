#!/bin/bash
# Fuzz every target, with libFuzzer and sanitizers:
#   run.sh [-j JOBS] [-s SECONDS | -n RUNS] [-r SEED] [TARGET...]
# Two at a time for a minute each by default, from another seed each time; with RUNS and SEED the same
# build tries the same inputs. Needs clang. Inputs that fail are kept in the folder
# build-fuzz/failed; once mended they belong into tests/fuzz/found/TARGET, which the tests run.
set -euo pipefail
cd "$(dirname "$0")/../.."

jobs=2
limit="-max_total_time=60"
seed=0
while getopts j:s:n:r: option; do
    case $option in
    j) jobs=$OPTARG ;;
    s) limit="-max_total_time=$OPTARG" ;;
    n) limit="-runs=$OPTARG" ;;
    r) seed=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
python3 tests/fuzz/make_corpus.py build-fuzz/corpus
mkdir -p build-fuzz/failed

targets=("$@")
[ $# -gt 0 ] || targets=(npy points wavelet text particles tune sweep_csv segy models checkpoint config options)
fuzz() {
    local target=$1
    local log=build-fuzz/$target.log
    local known=(build-fuzz/corpus/"$target")
    [ ! -d "tests/fuzz/found/$target" ] || known+=("tests/fuzz/found/$target")
    mkdir -p "build-fuzz/new/$target"
    if "build-fuzz/fuzz_$target" $limit -seed="$seed" -max_len=4096 -timeout=100 -rss_limit_mb=1024 \
        -artifact_prefix="build-fuzz/failed/$target-" "build-fuzz/new/$target" \
        "${known[@]}" >"$log" 2>&1; then
        echo "fuzz $target: $(grep -a '^Done' "$log")"
    else
        echo "fuzz $target: FAILED"
        tail -n 40 "$log"
        return 1
    fi
}
export -f fuzz
export limit seed
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz {}'
