#!/bin/sh
# What becomes of the GPU architectures that a user asks for (cuda/architectures.cmake), and which kernels
# are built by default (cuda/orders.cmake).
#     architectures.sh CMAKE ARCHITECTURES.CMAKE
cmake=$1 script=$2 failed=0

expect() { # ARCHITECTURES WANTED OPTION...: the line that cmake prints holds WANTED
    architectures=$1 wanted=$2
    shift 2
    said=$("$cmake" "-DCMAKE_CUDA_ARCHITECTURES=$architectures" "$@" -P "$script" 2>&1)
    case $said in
    *"$wanted"*) ;;
    *)
        echo "$architectures $*: wanted '$wanted', got: $said"
        failed=1
        ;;
    esac
}
case $("$cmake" --version) in
*" 3.22"* | *" 3.23"*)
    expect native "needs CMake 3.24"
    ;;
*)
    expect native "architectures 90a-real; towers with TMA" -DCMAKE_CUDA_ARCHITECTURES_NATIVE=90-real
    expect native "architectures 80-real;90a-real; towers with TMA" \
        "-DCMAKE_CUDA_ARCHITECTURES_NATIVE=80-real;90-real"
    expect native "architectures 86-real; towers none" -DCMAKE_CUDA_ARCHITECTURES_NATIVE=86-real
    expect native "no GPU can be used here"
    ;;
esac
expect 90 "architectures 90a-real;90-virtual; towers with TMA"
expect "80;90-real" "architectures 80;90a-real; towers with TMA"
expect "90a-real;90-real" "architectures 90a-real; towers with TMA"
expect "75-virtual;90a-real" "architectures 75-virtual;90a-real; towers with TMA"
expect 90-virtual "architectures 90-virtual; towers without TMA"
expect all-major "architectures all-major; towers without TMA"
expect 90-real "architectures 90-real; towers without TMA" -DTORRE_TMA=OFF
expect "80;90a-real" "architectures 80;90-real; towers without TMA" -DTORRE_TMA=OFF
expect 100 "architectures 100; towers none"

# and kernels of which orders are built, where nobody says: all rows of the table
orders=$("$cmake" -P "$(dirname "$script")/orders.cmake" 2>&1)
case $orders in
*"orders 2;4;6;8;10;12 unless"*) ;;
*)
    echo "orders: $orders"
    failed=1
    ;;
esac
exit $failed
