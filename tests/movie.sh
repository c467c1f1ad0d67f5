#!/bin/bash
# --movie of wave and md: as many pictures as the run wrote, one file or none, refusals.
#     movie.sh BUILD
set -u
build=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_NUM_THREADS=2 LC_ALL=C TORRE_TUNE=off
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
bad() # CODE TEXT PROGRAM ARGUMENT...
{
    local code=$1 text=$2 program=$3
    shift 3
    "$build/$program" "$@" 2>err
    local got=$?
    [ $got = "$code" ] || fail "$program $*: code $got, not $code: $(cat err)"
    grep -qF -e "$text" err || fail "$program $*: said $(cat err)"
    [ "$(wc -l <err)" = 1 ] || fail "$program $*: $(wc -l <err) lines"
    ! compgen -G '*.mp4*' >/dev/null || fail "$program $*: left $(ls)"
}
wave="--size 20x16x12 --steps 20 --quiet"
scaled="$wave --snapshot-every 5 --snapshot-scale 1e-9"
bad 2 "--movie needs pictures to show: --snapshot-every N" wave $wave --movie u.mp4
bad 2 "--movie needs one scale for all its pictures" wave $wave --snapshot-every 5 --movie u.mp4
bad 2 "--movie needs pictures to show: --frame-every N" md --model mps --dimensions 2 --steps 1 --quiet --movie u.mp4
mkdir empty
(export PATH=$work/empty; "$build/wave" $scaled --movie u.mp4) 2>err
[ $? = 2 ] && grep -qF "needs the program ffmpeg, which is not here" err || fail "without ffmpeg: $(cat err)"
[ ! -e u.mp4 ] && [ ! -e snapshot_000005.png ] || fail "without ffmpeg: $(ls)"
# programs of that name that fail, before and after reading
for what in 'exit 1' 'cat >/dev/null; exit 1'; do
    printf '#!/bin/sh\n%s\n' "$what" >empty/ffmpeg
    chmod +x empty/ffmpeg
    PATH=$work/empty:$PATH bad 3 "u.mp4: ffmpeg could not make this movie; the pictures are there" wave $scaled --movie u.mp4
done
command -v ffmpeg >/dev/null || { [ $failures = 0 ] || exit 1; echo "movie: no ffmpeg here"; exit 77; }
bad 2 "--movie must end in .mp4, .gif or .webp (got u.avi)" wave $scaled --movie u.avi

pictures() { ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$1" | tr -d ,; }
# shellcheck disable=SC2086 # several words
for kind in mp4 gif webp; do
    "$build/wave" $scaled --movie u.$kind || fail "wave to $kind"
    [ -s u.$kind ] || fail "no u.$kind"
    [ $kind = webp ] || [ "$(pictures u.$kind)" = 4 ] || fail "u.$kind has $(pictures u.$kind) pictures"
done
[ "$(head -c 4 u.webp)" = RIFF ] || fail "u.webp is no WebP"
"$build/md" --model mps --dimensions 2 --spacing 1cm --steps 40 --thermo 10 --frame-every 1 --quiet --output dam \
    --movie dam.mp4 || fail "md"
[ "$(pictures dam.mp4)" = 5 ] || fail "dam.mp4 has $(pictures dam.mp4) pictures"
[ $failures = 0 ] || exit 1
echo "movie: all as it should be"
