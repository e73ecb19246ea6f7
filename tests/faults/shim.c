/* Loaded before the C library: the Nth call (FAULT_AT) of one kind (FAULT_CALL) on a file below a directory (FAULT_DIR) fails
 * as on a broken disk. How many calls there were is added to a file (FAULT_COUNT). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static _Atomic char tracked[4096];

static int is_below(const char *path) {
    const char *directory = getenv("FAULT_DIR");
    return directory && path && strncmp(path, directory, strlen(directory)) == 0;
}

static int fails(const char *call) {
    const char *wanted = getenv("FAULT_CALL"), *at = getenv("FAULT_AT");
    if (!wanted || strcmp(wanted, call) != 0) return 0;
    return atomic_fetch_add(&calls, 1) + 1 == (at ? atol(at) : 0);
}

static int is_tracked(int fd) { return fd >= 0 && fd < 4096 && tracked[fd]; }

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("FAULT_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld", (long)calls);
        fclose(file);
    }
}

static int opened(int fd, const char *path) {
    if (fd >= 0 && fd < 4096) tracked[fd] = (char)is_below(path);
    return fd;
}

#define NEXT(name) static __typeof__(name) *next; if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int open64(const char *path, int flags, ...) {
    NEXT(open64);
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    if (is_below(path) && fails("open")) { errno = EIO; return -1; }
    return opened(next(path, flags, mode), path);
}

ssize_t read(int fd, void *bytes, size_t len) {
    NEXT(read);
    if (is_tracked(fd) && fails("read")) { errno = EIO; return -1; }
    return next(fd, bytes, len);
}

ssize_t write(int fd, const void *bytes, size_t len) {
    NEXT(write);
    if (is_tracked(fd) && fails("write")) { errno = ENOSPC; return -1; }
    return next(fd, bytes, len);
}

void *mmap64(void *at, size_t len, int protection, int flags, int fd, off64_t offset) {
    NEXT(mmap64);
    if (is_tracked(fd) && fails("mmap")) { errno = ENOMEM; return MAP_FAILED; }
    return next(at, len, protection, flags, fd, offset);
}

int close(int fd) {
    NEXT(close);
    if (fd >= 0 && fd < 4096) tracked[fd] = 0;
    return next(fd);
}
