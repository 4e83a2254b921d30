#pragma once

/// The steps that the present work of this thread may still take.
long work_steps_left(void);

/// The bytes of values that the present work of this thread may still make.
long work_bytes_left(void);

/// Sets the bytes of values that the present work of this thread may make.
void set_work_bytes_left(long bytes);

/// Sets the steps that the present work of this thread may take.
void set_work_steps_left(long steps);
