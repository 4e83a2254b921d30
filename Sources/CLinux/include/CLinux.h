#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

/// Takes the next connection of a listener as a socket that never blocks and that no child process inherits; -1 and errno where there is none.
int accept_nonblocking(int listener);

/// Has a process run on one processor only: for measurements.
int run_on_processor(int process, int processor);

/// Lets this thread, and what it starts, run anywhere again.
int run_on_any_processor(void);
