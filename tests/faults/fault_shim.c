/*
 * Preloaded into a program, fails one call that it makes to the system, counted from the start of
 * main: an allocation, a thread, or what touches files. Driven by fault_sweep.py.
 *
 *     FAULT_AT=n     the call that fails, from 1; 0: none
 *     FAULT_LOG=path a line for each call counted, or, with FAULT_AT, for the one that failed
 *
 * Allocations and threads are taken at the functions of the C library, so that those inside libpng,
 * zlib, segyio, libgomp and the C library itself count too. What touches files is taken at the
 * system call, by a seccomp filter that raises SIGSYS: stdio calls the kernel past any function
 * that could be replaced, and its own handling of a failure is part of what is tested.
 *
 * FAULT_STAYS=1: after that no file can be removed, either.
 *
 * CLOCK_MONOTONIC runs FAULT_CLOCK times faster (1 by default), so that programs that measure for
 * a given time are done soon.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__) || !defined(__GLIBC__)
#error "written for x86-64 and glibc"
#endif

#define API __attribute__((visibility("default")))

static atomic_long calls;
static long fails_at;
static int log_file = -1;
static bool counting, nothing_removed;
static double clock_factor = 1;

/* The one place whose system calls the filter lets pass. */
long fault_gate(long number, long a, long b, long c, long d, long e, long f);
extern const char fault_gate_end[];
__asm__(".text\n"
        "fault_gate:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "fault_gate_end:\n"
        "    ret\n");

static void tell(long number, const char *name)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%ld %s\n", number, name);
    fault_gate(SYS_write, log_file, (long)line, length, 0, 0, 0);
}

/* Count a call; true: it is the one to fail. */
static bool fails(const char *name)
{
    if (!counting) return false;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (log_file >= 0 && (fails_at == 0 || fails_at == number)) tell(number, name);
    return number == fails_at;
}

/* Allocations. */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

API void *malloc(size_t size) { return fails("malloc") ? no_memory() : __libc_malloc(size); }

API void *calloc(size_t count, size_t size)
{
    return fails("calloc") ? no_memory() : __libc_calloc(count, size);
}

API void *realloc(void *old, size_t size)
{
    return fails("realloc") ? no_memory() : __libc_realloc(old, size);
}

API void *aligned_alloc(size_t alignment, size_t size)
{
    return fails("aligned_alloc") ? no_memory() : __libc_memalign(alignment, size);
}

API int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails("posix_memalign") || !(*memory = __libc_memalign(alignment, size))) return ENOMEM;
    return 0;
}

/* Threads and processes, whose system calls run with SIGSYS blocked. */

API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                       void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        dlsym(RTLD_NEXT, "pthread_create");
    return fails("pthread_create") ? EAGAIN : real(thread, attributes, start, argument);
}

API pid_t fork(void)
{
    pid_t (*real)(void) = dlsym(RTLD_NEXT, "fork");
    if (!fails("fork")) return real();
    errno = EAGAIN;
    return -1;
}

API int clock_gettime(clockid_t clock, struct timespec *now)
{
    static struct timespec start;
    long result = fault_gate(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0);
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    if (clock != CLOCK_MONOTONIC) return 0;
    if (!start.tv_sec) start = *now;
    double passed = clock_factor * ((double)(now->tv_sec - start.tv_sec) +
                                    1e-9 * (double)(now->tv_nsec - start.tv_nsec));
    now->tv_sec = start.tv_sec + (time_t)passed;
    now->tv_nsec = (long)(1e9 * (passed - (double)(time_t)passed));
    return 0;
}

/* Files. */

static const struct {
    int number, error;
    const char *name;
} watched[] = {
    {SYS_open, EIO, "open"},         {SYS_openat, EIO, "open"},
    {SYS_read, EIO, "read"},         {SYS_pread64, EIO, "read"},
    {SYS_readv, EIO, "read"},        {SYS_write, ENOSPC, "write"},
    {SYS_pwrite64, ENOSPC, "write"}, {SYS_writev, ENOSPC, "write"},
    {SYS_close, EIO, "close"},       {SYS_lseek, EIO, "lseek"},
    {SYS_newfstatat, EIO, "stat"},   {SYS_fsync, EIO, "fsync"},
    {SYS_rename, EIO, "rename"},     {SYS_renameat, EIO, "rename"},
    {SYS_renameat2, EIO, "rename"},  {SYS_unlink, EIO, "unlink"},
    {SYS_unlinkat, EIO, "unlink"},   {SYS_mkdir, ENOSPC, "mkdir"},
    {SYS_fchmod, EIO, "fchmod"},     {SYS_ftruncate, EIO, "ftruncate"},
    {SYS_link, EIO, "link"},
};

enum { WATCHED = sizeof watched / sizeof watched[0] };

static void on_call(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    int i = 0;
    while (watched[i].number != info->si_syscall) i++;
    bool stays =
        nothing_removed && fails_at && calls >= fails_at && strcmp(watched[i].name, "unlink") == 0;
    bool failed = fails(watched[i].name) || stays;
    /* a close that fails has closed nevertheless */
    if (!failed || watched[i].number == SYS_close)
        r[REG_RAX] = fault_gate(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
                                r[REG_R8], r[REG_R9]);
    if (failed) r[REG_RAX] = -watched[i].error;
}

static void watch_files(void)
{
    enum { HEAD = 5 };
    struct sock_filter filter[HEAD + WATCHED + 2];
    const uintptr_t gate = (uintptr_t)fault_gate_end;
    const unsigned pointer = offsetof(struct seccomp_data, instruction_pointer);
    int n = 0;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, pointer);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)gate, 0, 2);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, pointer + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(gate >> 32),
                                               WATCHED + 1, 0);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < WATCHED; i++)
        filter[n++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)watched[i].number, (uint8_t)(WATCHED - i), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("fault_shim: no seccomp filter");
        _exit(77);
    }
}

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("FAULT_AT"), *log = getenv("FAULT_LOG"), *speed = getenv("FAULT_CLOCK");
    fails_at = at ? atol(at) : 0;
    nothing_removed = getenv("FAULT_STAYS") != NULL;
    if (speed) clock_factor = atof(speed);
    if (log) log_file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    watch_files();
    counting = true;
    int code = real_main(argc, argv, environment);
    counting = false;
    return code;
}

API int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                          void (*init)(void), void (*fini)(void), void (*linker)(void), void *stack)
{
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *) = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return real(counted_main, argc, argv, init, fini, linker, stack);
}
