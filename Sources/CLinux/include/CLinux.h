#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Accepts the next connection of a listener as a non-blocking, close-on-exec socket; -1 and errno if there is none.
int accept_nonblocking(int listener);

/// Pins a process to one processor, for measurements.
int run_on_processor(int process, int processor);

/// Lets this thread, and the threads that it starts, run on any processor again.
int run_on_any_processor(void);

/// Opens a file only to look at it (`O_PATH`); -1 and errno on failure. To close the descriptor releases no lock of this process.
int open_to_look(const char *path);

/// The number of arguments of this process, with the path of the program.
int program_argument_count(void);

/// An argument of this process. The index is below `program_argument_count()`.
const char *program_argument(int index);
