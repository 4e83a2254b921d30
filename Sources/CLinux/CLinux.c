#define _GNU_SOURCE
#include "CLinux.h"
#include <sys/socket.h>

int accept_nonblocking(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
