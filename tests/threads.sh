#!/bin/bash
# threads.sh PROGRAMS SHIM: runs with --threads 1 start no thread, before their time loops neither, and with 2 they do.
# fault_shim.so counts (tests/faults/fault_shim.c).
. "$(dirname "$0")/failures.sh"
programs=$1 shim=$2

# starts COUNT PROGRAM OPTION...: threads that the run starts
starts()
{
    local count=$1
    shift
    rm -f log
    FAULT_AT=0 FAULT_LOG=log LD_PRELOAD=$shim "$programs/$@" --quiet >out 2>err || fail "$*: $(cat err)"
    local got
    got=$(grep -c pthread_create log)
    [ "$got" = "$count" ] || fail "$*: $got threads, not $count"
}

while read -r run; do
    starts 0 $run --threads 1
    starts 1 $run --threads 2
done <<RUNS
md --backend cpu --model granular --size 40,40,40 --filling 0.4 --steps 0 --picture none
md --backend cpu --cells 10 --steps 2 --picture none
md --backend cpu --model mps --steps 3 --picture none
wave --backend cpu --size 96x64x64 --initial noise --steps 2 --snapshot-every 0
RUNS
no_failures
