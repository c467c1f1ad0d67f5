#!/bin/bash
# Whether a field that goes to a fake GPU (fake_cuda.h) and comes back has the bits it had: in many chunks or in one,
# with rows that end where lines of memory do and others.
#
#     copies.sh BUILD
set -u
build=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export FAKE_CUDA_DEVICE=h200 TORRE_CUDA_AXES=xyz TORRE_TUNE=off
failed=0
for run in "150x220x203 f32" "150x220x192 f32" "20x30x40 f32" "2x3x5 f32"; do
    set -- $run
    same="--size $1 --precision $2 --order 2 --source none --steps 0 --snapshot-every 0 --quiet"
    "$build/wave" --backend cpu $same --initial noise --field first.npy || exit 1
    "$build/fake/wave" --backend cuda $same --initial first.npy --field there.npy || exit 1
    if ! cmp first.npy there.npy; then echo "$run: the field is another"; failed=1; fi
done
exit $failed
