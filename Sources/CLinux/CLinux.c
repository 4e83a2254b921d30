#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>

int accept_nonblocking(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int run_on_any_processor(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

int run_on_processor(int process, int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(process, sizeof set, &set);
}

int open_to_look(const char *path) {
    return open(path, O_PATH | O_CLOEXEC);
}

static int argument_count;
static char **argument_values;

// The runtime passes these to each constructor. The copy in /proc may be absent.
__attribute__((constructor)) static void note_arguments(int count, char **values) {
    argument_count = count;
    argument_values = values;
}

int program_argument_count(void) {
    return argument_count;
}

const char *program_argument(int index) {
    return argument_values[index];
}
