#pragma once

/// The steps that the present work of this thread may still take.
long work_steps_left(void);

/// Sets the steps that the present work of this thread may take.
void set_work_steps_left(long steps);
