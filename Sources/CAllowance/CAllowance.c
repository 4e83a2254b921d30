#include "CAllowance.h"

#include <limits.h>

static _Thread_local long steps_left = LONG_MAX;
static _Thread_local long bytes_left = LONG_MAX;

long work_bytes_left(void) {
    return bytes_left;
}

void set_work_bytes_left(long bytes) {
    bytes_left = bytes;
}

long work_steps_left(void) {
    return steps_left;
}

void set_work_steps_left(long steps) {
    steps_left = steps;
}
