/* Faults at the system calls by which a home is changed, for tests/torture.

   Loaded with LD_PRELOAD. Calls that change a file under the armed folder are counted; at the one that was chosen the
   process is killed (before it, in the middle of it, or after it), or the call fails as a full or a broken disk makes
   it fail, or the clock jumps. What the call was, and whether a transaction was open, is written to the report: the lock that SQLite holds
   on byte 120 of a -shm file is that of the one writer in WAL mode, and a frame header with a size is a commit. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { COUNT, KILL_BEFORE, KILL_TORN, KILL_AFTER, FULL_ONCE, FULL, BROKEN_ONCE, BROKEN, CLOCK_JUMPS };
enum { WRITER = 120, FRAME_HEADER = 24, WAL_HEADER = 32 };

static char folder[4096], report[4096];
static size_t folder_length;
static long chosen, calls, commits, reads;
static int mode, writers, commit_header_written, fired;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static ssize_t (*real_pread64)(int, void *, size_t, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_ftruncate64)(int, off64_t);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_mkdir)(const char *, mode_t);
static int (*real_open)(const char *, int, ...);
static int (*real_open64)(const char *, int, ...);
static int (*real_fcntl)(int, int, ...);
static int (*real_fcntl64)(int, int, ...);
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_gettimeofday)(struct timeval *restrict, void *restrict);
static time_t (*real_time)(time_t *);
static long clock_off, clock_jump; /* seconds by which the clock is wrong, and by which it jumps at the fault */

__attribute__((constructor)) static void find_real(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite");
    real_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
    real_pread = dlsym(RTLD_NEXT, "pread");
    real_pread64 = dlsym(RTLD_NEXT, "pread64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    real_ftruncate64 = dlsym(RTLD_NEXT, "ftruncate64");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_rename = dlsym(RTLD_NEXT, "rename");
    real_mkdir = dlsym(RTLD_NEXT, "mkdir");
    real_open = dlsym(RTLD_NEXT, "open");
    real_open64 = dlsym(RTLD_NEXT, "open64");
    real_fcntl = dlsym(RTLD_NEXT, "fcntl");
    real_fcntl64 = dlsym(RTLD_NEXT, "fcntl64");
    real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    real_gettimeofday = dlsym(RTLD_NEXT, "gettimeofday");
    real_time = dlsym(RTLD_NEXT, "time");
}

void faults_arm(const char *where, const char *into, long at, int how) {
    snprintf(folder, sizeof folder, "%s/", where);
    snprintf(report, sizeof report, "%s", into);
    folder_length = strlen(folder);
    chosen = at;
    mode = how;
    calls = commits = reads = writers = commit_header_written = fired = 0;
}

void faults_clock(long off, long jump) {
    clock_off = off;
    clock_jump = jump;
}

long faults_calls(void) { return calls; }
long faults_reads(void) { return reads; }

static int is_ours(const char *path) { return folder_length && strncmp(path, folder, folder_length) == 0; }

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

static int counted(int fd, char *path, size_t size) { /* what is in a -shm file is made anew by whoever comes next */
    return path_of(fd, path, size) && !(strlen(path) > 4 && strcmp(path + strlen(path) - 4, "-shm") == 0);
}

static int ends_with(const char *path, const char *end) {
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

static void tell(const char *call, const char *path) {
    char line[4400];
    int length = snprintf(line, sizeof line, "{\"call\": \"%s\", \"file\": \"%s\", \"at\": %ld, \"commits\": %ld, \"open\": %d}\n",
                          call, path + folder_length, calls, commits, writers);
    int fd = real_open(report, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
        if (real_write(fd, line, (size_t)length) < 0) { /* the test misses it */ }
        close(fd);
    }
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Counts a call; returns the error that it is to fail with, 0 where it may go on. */
static int fault(const char *call, const char *path) {
    calls++;
    int now = calls == chosen, later = calls > chosen && chosen > 0;
    if (!now && !later) return 0;
    if (now) {
        fired = 1;
        tell(call, path);
        if (mode == KILL_BEFORE) die();
        if (mode == CLOCK_JUMPS) clock_off += clock_jump;
    }
    if (mode == FULL || (mode == FULL_ONCE && now)) {
        if (strcmp(call, "unlink") == 0 || strcmp(call, "rename") == 0 || strcmp(call, "fsync") == 0) return 0;
        return ENOSPC;
    }
    if (mode == BROKEN || (mode == BROKEN_ONCE && now)) return EIO;
    return 0;
}

static int dies_torn(void) { return fired && mode == KILL_TORN; }
static void after(void) {
    if (fired && (mode == KILL_AFTER || mode == KILL_TORN)) die();
}

static void seen(const char *path, const unsigned char *data, size_t size, off64_t at) {
    if (!ends_with(path, "-wal") || at < WAL_HEADER) return;
    if (size == FRAME_HEADER)
        commit_header_written = data[4] || data[5] || data[6] || data[7];
    else if (commit_header_written) {
        commits++;
        commit_header_written = 0;
    }
}

#define WRITING(REAL, NAME, ARGUMENTS, HALF)                                                                           \
    char path[4096];                                                                                                   \
    if (!folder_length || !counted(fd, path, sizeof path)) return REAL ARGUMENTS;                                      \
    int error = fault(NAME, path);                                                                                     \
    if (error) { errno = error; return -1; }                                                                           \
    if (dies_torn()) { if (REAL HALF < 0) { /* dies anyway */ } die(); }

ssize_t write(int fd, const void *data, size_t size) {
    WRITING(real_write, "write", (fd, data, size), (fd, data, size / 2))
    ssize_t done = real_write(fd, data, size);
    after();
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    WRITING(real_pwrite, "pwrite", (fd, data, size, at), (fd, data, size / 2, at))
    ssize_t done = real_pwrite(fd, data, size, at);
    seen(path, data, size, at);
    after();
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    WRITING(real_pwrite64, "pwrite", (fd, data, size, at), (fd, data, size / 2, at))
    ssize_t done = real_pwrite64(fd, data, size, at);
    seen(path, data, size, at);
    after();
    return done;
}

ssize_t pread(int fd, void *data, size_t size, off_t at) {
    char path[4096];
    if (folder_length && path_of(fd, path, sizeof path)) reads++;
    return real_pread(fd, data, size, at);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    char path[4096];
    if (folder_length && path_of(fd, path, sizeof path)) reads++;
    return real_pread64(fd, data, size, at);
}

#define SIMPLE(REAL, NAME, IS_OURS, ARGUMENTS)                                                                         \
    char path[4096];                                                                                                   \
    if (!folder_length || !(IS_OURS)) return REAL ARGUMENTS;                                                           \
    int error = fault(NAME, path);                                                                                     \
    if (error) { errno = error; return -1; }                                                                           \
    int done = REAL ARGUMENTS;                                                                                         \
    after();                                                                                                           \
    return done;

#define OF_FD counted(fd, path, sizeof path)
#define OF_NAME (snprintf(path, sizeof path, "%s", name) > 0 && is_ours(path))

int fsync(int fd) { SIMPLE(real_fsync, "fsync", OF_FD, (fd)) }
int fdatasync(int fd) { SIMPLE(real_fdatasync, "fsync", OF_FD, (fd)) }
int ftruncate(int fd, off_t size) { SIMPLE(real_ftruncate, "truncate", OF_FD, (fd, size)) }
int ftruncate64(int fd, off64_t size) { SIMPLE(real_ftruncate64, "truncate", OF_FD, (fd, size)) }
int unlink(const char *name) { SIMPLE(real_unlink, "unlink", OF_NAME, (name)) }
int mkdir(const char *name, mode_t how) { SIMPLE(real_mkdir, "mkdir", OF_NAME, (name, how)) }

int rename(const char *from, const char *name) {
    SIMPLE(real_rename, "rename", OF_NAME, (from, name))
}

/* Opening counts where it makes a file. */
#define OPENING(REAL)                                                                                                  \
    mode_t how = 0;                                                                                                    \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                                               \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        how = va_arg(rest, mode_t);                                                                                    \
        va_end(rest);                                                                                                  \
    }                                                                                                                  \
    if (!(flags & O_CREAT) || access(name, F_OK) == 0) return REAL(name, flags, how);                                  \
    SIMPLE(REAL, "create", OF_NAME, (name, flags, how))

int open(const char *name, int flags, ...) { OPENING(real_open) }
int open64(const char *name, int flags, ...) { OPENING(real_open64) }

static void locked(int fd, int cmd, const struct flock *lock) {
    char path[4096];
    if (cmd != F_SETLK && cmd != F_SETLKW) return;
    if (lock->l_start > WRITER || lock->l_start + lock->l_len <= WRITER) return;
    if (!path_of(fd, path, sizeof path) || !ends_with(path, "-shm")) return;
    const char *name = strrchr(path, '/') + 1;
    int bit = strncmp(name, "log.db-", 7) == 0 ? 1 : strncmp(name, "index.db-", 9) == 0 ? 2 : 4;
    if (lock->l_type == F_WRLCK) writers |= bit;
    if (lock->l_type == F_UNLCK) writers &= ~bit;
}

#define LOCKING(REAL)                                                                                                  \
    va_list rest;                                                                                                      \
    va_start(rest, cmd);                                                                                               \
    void *argument = va_arg(rest, void *);                                                                             \
    va_end(rest);                                                                                                      \
    int done = REAL(fd, cmd, argument);                                                                                \
    if (done == 0 && folder_length) locked(fd, cmd, argument);                                                         \
    return done;

int fcntl(int fd, int cmd, ...) { LOCKING(real_fcntl) }
int fcntl64(int fd, int cmd, ...) { LOCKING(real_fcntl64) }

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = real_clock_gettime(which, now);
    if (which == CLOCK_REALTIME) now->tv_sec += clock_off;
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int done = real_gettimeofday(now, zone);
    now->tv_sec += clock_off;
    return done;
}

time_t time(time_t *now) {
    time_t done = real_time(NULL) + clock_off;
    if (now) *now = done;
    return done;
}
