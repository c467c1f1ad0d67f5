#!/bin/bash
# --movie of wave and md: as many pictures as the run wrote, one file or none, refusals.
#     movie.sh BUILD
set -u
build=$(realpath "$1")
source "$(dirname "$0")/failures.sh"
export OMP_NUM_THREADS=2 LC_ALL=C TORRE_TUNE=off
bad() # CODE TEXT PROGRAM ARGUMENT...: refused so, and no movie left
{
    refused "$1" "$2" "$build/$3" "${@:4}"
    ! compgen -G '*.mp4*' >/dev/null || fail "$*: left $(ls)"
}
wave="--size 20x16x12 --steps 20 --quiet"
filmed="$wave --snapshot-every 5"
bad 2 "--movie needs pictures to show: --snapshot-every N" wave $wave --snapshot-every end --movie u.mp4
bad 2 "--movie with --checkpoint needs --snapshot-scale VALUE" wave $filmed --movie u.mp4 --checkpoint u.state
bad 2 "--movie needs pictures to show: --frame-every N" md --model mps --dimensions 2 --steps 1 --quiet --frame-every 0 --movie u.mp4
mkdir empty
(export PATH=$work/empty; "$build/wave" $filmed --movie u.mp4) 2>err
[ $? = 2 ] && grep -qF "needs the program ffmpeg, which is not here" err || fail "without ffmpeg: $(cat err)"
[ ! -e u.mp4 ] && [ ! -e snapshot_000005.png ] || fail "without ffmpeg: $(ls)"
# programs of that name that fail, before and after reading
for what in 'exit 1' 'cat >/dev/null; exit 1'; do
    printf '#!/bin/sh\n%s\n' "$what" >empty/ffmpeg
    chmod +x empty/ffmpeg
    PATH=$work/empty:$PATH bad 3 "u.mp4: ffmpeg could not make this movie; the pictures are there" wave $filmed --movie u.mp4
done
command -v ffmpeg >/dev/null || { [ $failures = 0 ] || exit 1; echo "movie: no ffmpeg here"; exit 77; }
bad 2 "--movie must end in .mp4, .gif or .webp (got u.avi)" wave $filmed --movie u.avi

pictures() { ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$1" | tr -d ,; }
# shellcheck disable=SC2086 # several words
for kind in mp4 gif webp; do
    "$build/wave" $filmed --movie u.$kind || fail "wave to $kind"
    [ -s u.$kind ] || fail "no u.$kind"
    [ $kind = webp ] || [ "$(pictures u.$kind)" = 4 ] || fail "u.$kind has $(pictures u.$kind) pictures"
done
"$build/wave" $wave --output all --movie all.mp4 && [ "$(pictures all.mp4)" = 20 ] || fail "not a picture of each of 20 steps"
[ "$(head -c 4 u.webp)" = RIFF ] || fail "u.webp is no WebP"
# one scale, of all values together, for all pictures (test_kept_frames has its value); a picture by itself has another
one() { "$build/wave" --size 60x60 --source 300,300 --picture-style raw --steps 60 --snapshot-every 20 "$@" 2>err; }
one --output own --quiet && one --output all --movie all.gif >said || fail "wave in one scale"
scale=$(sed -n 's/^scale  *\([^ ]*\) in full colour in all of them$/\1/p' said)
one --output given --quiet --snapshot-scale "$scale" && one --output again --quiet --movie again.gif || fail "in scale $scale"
for step in 20 40 60; do
    cmp -s all/snapshot_0000$step.png again/snapshot_0000$step.png || fail "step $step is another in the same run"
    ! cmp -s all/snapshot_0000$step.png own/snapshot_0000$step.png || fail "step $step has a scale of its own"
    [ -s given/snapshot_0000$step.png ] || fail "no picture of step $step in scale $scale"
done
# a run that is stopped has the pictures so far: those of which there are arrays
"$build/wave" --size 60x60 --source 300,300 --steps 10000000 --snapshot-every 10000 --movie cut.gif --quiet \
    --snapshot 'cut_{step}.png;cut_{step}.npy' 2>err &
until [ -e cut_010000.npy ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
[ ! -e cut_010000.png ] || fail "a picture before the end"
kill -TERM $!
wait $!
[ $? = 75 ] && [ -s cut.gif ] && [ -s cut_010000.png ] || fail "a run that is stopped: $(cat err; ls)"

"$build/md" --model mps --dimensions 2 --spacing 1cm --steps 40 --thermo 10 --quiet --output dam --movie dam.mp4 || fail "md"
"$build/md" --model granular --size 12,12 --walls --shake-amplitude 0.5 --shake-frequency 50 --steps 40 --thermo 10 \
    --frame-every 2 --quiet --output gas --movie gas.mp4 || fail "md --model granular"
[ "$(pictures gas.mp4)" = 3 ] && [ -s gas/frame_0002.png ] || fail "gas.mp4 has $(pictures gas.mp4) pictures"
[ "$(pictures dam.mp4)" = 5 ] || fail "dam.mp4 has $(pictures dam.mp4) pictures"
no_failures
