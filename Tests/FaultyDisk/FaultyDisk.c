// A disk that fails, to be preloaded: it records what a program does to the files below a directory, and lets calls fail as it is told.
//
// FAULTY_DISK_ROOT is the directory, FAULTY_DISK_TRACE the file that the record goes to, FAULTY_DISK_CONTROL the file of a `faulty_disk_control`.
// A call and its record are made under one lock, so that the order of the trace is the order of what happened.
//
// A failed sync is told once through each descriptor that was open on the file, as Linux does it since 4.13 (errseq_t).
#define _GNU_SOURCE
#include "FaultyDisk.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { descriptor_limit = 4096, range_limit = 65536 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int trace = -1;
static volatile struct faulty_disk_control *control;
/// The descriptors that have yet to tell of a sync that failed on their file.
static unsigned char is_error_pending[descriptor_limit];
/// What was written since the last sync, of all files.
static struct range { uint64_t file; off_t offset; size_t length; } ranges[range_limit];
static size_t range_count;

__attribute__((constructor)) static void begin(void) {
    const char *directory = getenv("FAULTY_DISK_ROOT");
    if (!directory || !realpath(directory, root)) return;
    root_length = strlen(root);
    const char *path = getenv("FAULTY_DISK_TRACE");
    if (path) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    path = getenv("FAULTY_DISK_CONTROL");
    if (!path) return;
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) return;
    void *start = (void *)syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)0);
    if (start != MAP_FAILED) control = start;
    syscall(SYS_close, descriptor);
}

static int is_below(const char *path) {
    return root_length > 0 && strncmp(path, root, root_length) == 0 && path[root_length] == '/';
}

/// The path of a descriptor; whether it is below the root.
static int find(int descriptor, char path[PATH_MAX]) {
    if (root_length == 0 || descriptor < 0) return 0;
    char link[64] = "/proc/self/fd/";
    char digits[16];
    int count = 0;
    for (int rest = descriptor; rest > 0 || count == 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    size_t end = strlen(link);
    while (count > 0) link[end++] = digits[--count];
    link[end] = 0;
    ssize_t length = syscall(SYS_readlink, link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_below(path);
}

/// A path as a descriptor would have it.
static int resolve(const char *given, char path[PATH_MAX]) {
    if (root_length == 0 || !given) return 0;
    char copy[PATH_MAX], folder[PATH_MAX];
    strncpy(copy, given, PATH_MAX - 1);
    copy[PATH_MAX - 1] = 0;
    char *slash = strrchr(copy, '/');
    const char *name = slash ? slash + 1 : copy;
    if (slash) *slash = 0;
    if (!realpath(slash ? (slash == copy ? "/" : copy) : ".", folder)) return 0;
    if (strlen(folder) + strlen(name) + 2 > PATH_MAX) return 0;
    strcpy(path, folder);
    strcat(path, "/");
    strcat(path, name);
    return is_below(path);
}

static int ends(const char *path, const char *end) {
    size_t length = strlen(path), count = strlen(end);
    return length >= count && strcmp(path + length - count, end) == 0;
}

static uint32_t sort(const char *path, int is_directory) {
    if (is_directory) return FAULTY_DIRECTORY;
    if (ends(path, ".sqlite")) return FAULTY_DATABASE;
    if (ends(path, "-wal")) return FAULTY_LOG;
    if (ends(path, "-shm")) return FAULTY_INDEX;
    return FAULTY_OTHER;
}

/// The error that a call is to fail with, -1 for none; 0 is a short write.
static int fault(uint32_t kind, const char *path, int is_directory) {
    if (!control || !(control->kinds & 1u << kind) || !(control->files & 1u << sort(path, is_directory))) return -1;
    if (control->error == 0 && kind != FAULTY_WRITE) return -1;
    uint32_t call = control->calls++;
    if (call < control->passes || (call > control->passes && !control->lasts)) return -1;
    control->failures++;
    return (int)control->error;
}

static void write_all(const void *start, size_t length) {
    const char *next = start;
    while (length > 0) {
        ssize_t count = syscall(SYS_write, trace, next, length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) abort();
        next += count;
        length -= (size_t)count;
    }
}

static void record(uint32_t kind, int error, uint64_t file, off_t offset, const char *path, const void *data, size_t length) {
    if (trace < 0) return;
    int number = errno;
    struct faulty_disk_record head = {kind, (uint32_t)error, file, (uint64_t)offset, (uint32_t)strlen(path), (uint32_t)length};
    write_all(&head, sizeof head);
    write_all(path, head.path_length);
    if (length > 0) write_all(data, length);
    errno = number;
}

static uint64_t number(int descriptor) {
    struct stat status;
    return syscall(SYS_fstat, descriptor, &status) == 0 ? status.st_ino : 0;
}

static int is_folder(int descriptor) {
    struct stat status;
    return syscall(SYS_fstat, descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

static int fail(int error) {
    errno = error;
    return -1;
}

// Opening, and names

static int open_file(int folder, const char *given, int flags, mode_t mode) {
    char path[PATH_MAX];
    if (folder != AT_FDCWD || (flags & O_TMPFILE) == O_TMPFILE || !resolve(given, path))
        return (int)syscall(SYS_openat, folder, given, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat status;
    int is_there = stat(path, &status) == 0;
    // On a read-only file system, what is only read is opened.
    int is_allowed = control && control->error == EROFS && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_CREAT);
    int error = is_allowed ? -1 : fault(FAULTY_OPEN, path, is_there && S_ISDIR(status.st_mode));
    int descriptor = error > 0 ? fail(error) : (int)syscall(SYS_openat, folder, given, flags, mode);
    if (descriptor >= 0) {
        if (descriptor < descriptor_limit) is_error_pending[descriptor] = 0;
        if (!is_there) record(FAULTY_OPEN, 0, number(descriptor), 0, path, NULL, 0);
        if (is_there && (flags & O_TRUNC)) record(FAULTY_TRUNCATE, 0, number(descriptor), 0, path, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

#define OPEN(name)                                   \
    int name(const char *path, int flags, ...) {     \
        va_list arguments;                           \
        va_start(arguments, flags);                  \
        mode_t mode = va_arg(arguments, mode_t);     \
        va_end(arguments);                           \
        return open_file(AT_FDCWD, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                        \
    int name(int folder, const char *path, int flags, ...) { \
        va_list arguments;                                   \
        va_start(arguments, flags);                          \
        mode_t mode = va_arg(arguments, mode_t);             \
        va_end(arguments);                                   \
        return open_file(folder, path, flags, mode);         \
    }
OPEN_AT(openat)
OPEN_AT(openat64)

int rename(const char *from, const char *to) {
    char source[PATH_MAX], target[PATH_MAX];
    if (!resolve(from, source) || !resolve(to, target)) return (int)syscall(SYS_rename, from, to);
    pthread_mutex_lock(&lock);
    int error = fault(FAULTY_RENAME, source, 0);
    int result = error > 0 ? fail(error) : (int)syscall(SYS_rename, from, to);
    if (result == 0) record(FAULTY_RENAME, 0, 0, 0, source, target, strlen(target));
    pthread_mutex_unlock(&lock);
    return result;
}

int unlink(const char *given) {
    char path[PATH_MAX];
    if (!resolve(given, path)) return (int)syscall(SYS_unlink, given);
    pthread_mutex_lock(&lock);
    int error = fault(FAULTY_UNLINK, path, 0);
    int result = error > 0 ? fail(error) : (int)syscall(SYS_unlink, given);
    if (result == 0) record(FAULTY_UNLINK, 0, 0, 0, path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int mkdir(const char *given, mode_t mode) {
    char path[PATH_MAX];
    if (!resolve(given, path)) return (int)syscall(SYS_mkdir, given, mode);
    pthread_mutex_lock(&lock);
    int error = fault(FAULTY_MAKE_DIRECTORY, path, 1);
    int result = error > 0 ? fail(error) : (int)syscall(SYS_mkdir, given, mode);
    if (result == 0) record(FAULTY_MAKE_DIRECTORY, 0, 0, 0, path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

// Content

static ssize_t write_at(int descriptor, const void *data, size_t length, off_t offset, int has_offset) {
    char path[PATH_MAX];
    if (descriptor == STDOUT_FILENO && trace >= 0) {
        pthread_mutex_lock(&lock);
        record(FAULTY_SAY, 0, 0, 0, "", data, length);
        ssize_t count = syscall(SYS_write, descriptor, data, length);
        pthread_mutex_unlock(&lock);
        return count;
    }
    if (!find(descriptor, path))
        return has_offset ? syscall(SYS_pwrite64, descriptor, data, length, offset) : syscall(SYS_write, descriptor, data, length);
    pthread_mutex_lock(&lock);
    off_t place = has_offset ? offset : (off_t)syscall(SYS_lseek, descriptor, (off_t)0, SEEK_CUR);
    int error = fault(FAULTY_WRITE, path, 0);
    size_t part = error == 0 && length > 1 ? length / 2 : length;
    ssize_t count = error > 0 ? fail(error)
        : has_offset          ? syscall(SYS_pwrite64, descriptor, data, part, offset)
                              : syscall(SYS_write, descriptor, data, part);
    if (count > 0) {
        record(FAULTY_WRITE, 0, number(descriptor), place, path, data, (size_t)count);
        if (range_count < range_limit) ranges[range_count++] = (struct range){number(descriptor), place, (size_t)count};
    }
    pthread_mutex_unlock(&lock);
    return count;
}

ssize_t write(int descriptor, const void *data, size_t length) { return write_at(descriptor, data, length, 0, 0); }
ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) { return write_at(descriptor, data, length, offset, 1); }
ssize_t pwrite64(int descriptor, const void *data, size_t length, off64_t offset) {
    return write_at(descriptor, data, length, offset, 1);
}

static ssize_t read_at(int descriptor, void *data, size_t length, off_t offset) {
    char path[PATH_MAX];
    if (control && control->kinds & 1u << FAULTY_READ && find(descriptor, path)) {
        pthread_mutex_lock(&lock);
        int error = fault(FAULTY_READ, path, 0);
        pthread_mutex_unlock(&lock);
        if (error > 0) return fail(error);
    }
    return syscall(SYS_pread64, descriptor, data, length, offset);
}

ssize_t pread(int descriptor, void *data, size_t length, off_t offset) { return read_at(descriptor, data, length, offset); }
ssize_t pread64(int descriptor, void *data, size_t length, off64_t offset) { return read_at(descriptor, data, length, offset); }

static int truncate_file(int descriptor, off_t length) {
    char path[PATH_MAX];
    if (!find(descriptor, path)) return (int)syscall(SYS_ftruncate, descriptor, length);
    pthread_mutex_lock(&lock);
    int error = fault(FAULTY_TRUNCATE, path, 0);
    int result = error > 0 ? fail(error) : (int)syscall(SYS_ftruncate, descriptor, length);
    if (result == 0) record(FAULTY_TRUNCATE, 0, number(descriptor), length, path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int descriptor, off_t length) { return truncate_file(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { return truncate_file(descriptor, length); }

// Syncing

/// Lets every other descriptor of a file tell of the failure too.
static void spread(int descriptor, uint64_t file) {
    for (int other = 0; other < descriptor_limit; other++) {
        if (other != descriptor && number(other) == file) is_error_pending[other] = 1;
    }
}

/// Forgets what was written to a file since its last sync; puts zeros there first if the pages are dropped.
static void forget(int descriptor, uint64_t file, int drops) {
    static const char zeros[65536];
    size_t left = 0;
    for (size_t next = 0; next < range_count; next++) {
        struct range range = ranges[next];
        if (range.file != file) {
            ranges[left++] = range;
            continue;
        }
        for (size_t done = 0; drops && done < range.length; done += sizeof zeros) {
            size_t count = range.length - done < sizeof zeros ? range.length - done : sizeof zeros;
            syscall(SYS_pwrite64, descriptor, zeros, count, range.offset + (off_t)done);
        }
    }
    range_count = left;
}

static int sync_file(int descriptor, long call) {
    char path[PATH_MAX];
    if (!find(descriptor, path)) return (int)syscall(call, descriptor);
    pthread_mutex_lock(&lock);
    uint64_t file = number(descriptor);
    int error = -1;
    if (descriptor < descriptor_limit && is_error_pending[descriptor]) {
        is_error_pending[descriptor] = 0;
        error = EIO;
    } else {
        error = fault(FAULTY_SYNC, path, is_folder(descriptor));
        if (error > 0) spread(descriptor, file);
    }
    // What was not synced may be written later all the same: the image of a crash decides that, not this file.
    int result = error > 0 ? fail(error) : (int)syscall(call, descriptor);
    record(FAULTY_SYNC, error > 0 ? error : result == 0 ? 0 : errno, file, 0, path, NULL, 0);
    int kept = errno;
    forget(descriptor, file, error > 0 && control && control->drops);
    errno = kept;
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int descriptor) { return sync_file(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return sync_file(descriptor, SYS_fdatasync); }

// Mapping

static void *map(void *start, size_t length, int protection, int flags, int descriptor, off_t offset) {
    char path[PATH_MAX];
    if (control && descriptor >= 0 && control->kinds & 1u << FAULTY_MAP && find(descriptor, path)) {
        pthread_mutex_lock(&lock);
        int error = fault(FAULTY_MAP, path, 0);
        pthread_mutex_unlock(&lock);
        if (error > 0) {
            errno = error;
            return MAP_FAILED;
        }
    }
    return (void *)syscall(SYS_mmap, start, length, protection, flags, descriptor, offset);
}

void *mmap(void *start, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return map(start, length, protection, flags, descriptor, offset);
}
void *mmap64(void *start, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return map(start, length, protection, flags, descriptor, offset);
}
