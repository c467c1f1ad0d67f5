#!/bin/sh
# First run: install what is missing (Debian, Ubuntu), build, run the wave program to a picture.
#   ./first-run.sh         build and run wave --order 8 --dts 4
#   ./first-run.sh test    build and run the tests
set -eu
cd "$(dirname "$0")"

packages="gcc cmake make libpng-dev libfreetype-dev libsegyio-dev libhdf5-dev"
[ "${1:-}" != test ] || packages="$packages libcmocka-dev clang-format python3-numpy python3-cffi gnuplot-nox g++ pkg-config"

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

if ! command -v dpkg-query >/dev/null; then
    echo "first-run: no Debian package manager here; needed: $packages" >&2
else
    missing=""
    for package in $packages; do installed "$package" || missing="$missing $package"; done
    if [ -n "$missing" ]; then
        sudo=""
        [ "$(id -u)" = 0 ] || sudo="sudo -n"
        if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then
            echo "first-run: installing$missing" >&2
            $sudo apt-get update -qq
            DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends \
                $missing >/dev/null
        else
            echo "first-run: missing packages; as root: apt-get install$missing" >&2
            exit 1
        fi
    fi
fi

# without a GPU its kernels would only take time to build, even where the CUDA toolkit is
gpu=""
[ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || gpu="-DTORRE_CUDA=OFF"
cmake -S . -B build $gpu ${TORRE_CMAKE_OPTIONS:-}
cmake --build build -j"$(nproc)"
if [ "${1:-}" = test ]; then
    ctest --test-dir build --output-on-failure
else
    ./build/wave --order 8 --dts 4
fi
