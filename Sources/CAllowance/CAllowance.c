#include "CAllowance.h"

#include <limits.h>

static _Thread_local long steps_left = LONG_MAX;

long work_steps_left(void) {
    return steps_left;
}

void set_work_steps_left(long steps) {
    steps_left = steps;
}
