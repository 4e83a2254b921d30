#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

/// Accepts the next connection of a listener as a non-blocking, close-on-exec socket; -1 and errno if there is none.
int accept_nonblocking(int listener);

/// Pins a process to one processor, for measurements.
int run_on_processor(int process, int processor);

/// Lets this thread, and the threads that it starts, run on any processor again.
int run_on_any_processor(void);
