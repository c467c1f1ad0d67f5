#!/bin/sh
# The pictures of README.md: a strip of five runs, a square of each (ffmpeg), and the page of the first one
# in a browser (chromium).
# Usage: run.sh MODEL.npy [BUILD [OPTION...]]      (options go to md)
#   MODEL.npy  the velocity model of the second picture: Marmousi, 7.5 m between its values
#   SHARE=0.1  (environment) a tenth of the steps of each run
# Files go to the folder strip: strip.png, page.png, and those of the runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
model=$(realpath "${1:?a velocity model, MODEL.npy, is needed}")
build=$(cd "${2:-build}" && pwd)
shift $(($# < 2 ? $# : 2))
steps() { awk "BEGIN { print int($1 * ${SHARE:-1}) }"; }
mkdir -p strip
cd strip
raw="--picture-style raw --quiet"

"$build/wave" --order 8 --dts 4 --steps "$(steps 600)" --report run.html --output first --quiet
"$build/wave" --order 8 --dts 4 --steps "$(steps 600)" --output wave $raw
EVERY=2 STEPS=$(steps 600) SNAPSHOT_EVERY=$(steps 600) "$here/../marmousi/run.sh" "$model" 7.5 "$build" $raw
"$build/md" --cells 10 --steps "$(steps 300)" --output melt $raw "$@"
"$build/md" --model granular --size 20,20 --filling 0.3 --walls --shake-amplitude 0.5 --shake-frequency 100 \
    --steps "$(steps 40000)" --output gas $raw "$@"
"$build/md" --model mps --dimensions 2 --spacing 4mm --steps "$(steps 3200)" --front none --output dam $raw "$@"

# each: a square of the picture (ffmpeg: width:height:left:top), 200 pixels wide with a line around it
square() { echo "[$1]crop=$2,scale=200:200:flags=area,drawbox=c=0xb0b0b0:t=1,pad=208:200:4:0:white[s$1];"; }
colors="split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"
ffmpeg -v error -y -i "$(ls wave/snapshot_*.png)" -i "$(ls marmousi/snapshot_*.png)" -i melt/md.png -i gas/md.png \
    -i dam/dam_break.png -filter_complex "$(square 0 'ih:ih:(iw-ih)/2:0')$(square 1 'ih:ih:(iw-ih)/2:0')$(square 2 \
        'iw:ih:0:0')$(square 3 'iw:iw:0:0')$(square 4 '0.7*iw:0.7*iw:0:0.3*iw')[s0][s1][s2][s3][s4]hstack=5,$colors" strip.png

browser=$(command -v chromium || command -v chromium-browser || true)
if [ -n "$browser" ]; then
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir=profile \
        --virtual-time-budget=4000 --window-size=1000,1020 --screenshot=whole.png "file://$PWD/run.html" >/dev/null 2>&1
    ffmpeg -v error -y -i whole.png -filter_complex "scale=560:-1:flags=area,$colors" page.png
    rm -r profile whole.png
fi
