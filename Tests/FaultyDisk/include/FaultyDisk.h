#pragma once
#include <stdint.h>

/// The words of the control file, in their order. A test writes them while the program runs, and reads the last three.
struct faulty_disk_control {
    /// The kinds of calls that fail, one bit each: see `faulty_disk_kind`.
    uint32_t kinds;
    /// The files whose calls fail, one bit each: see `faulty_disk_file`.
    uint32_t files;
    /// The error; 0 for a write that writes the first half only.
    uint32_t error;
    /// The number of such calls that succeed first.
    uint32_t passes;
    /// 1 if every later call fails too, 0 if one does.
    uint32_t lasts;
    /// 1 if a failed sync also puts zeros where the file was written since its last sync: the kernel has dropped the pages.
    uint32_t drops;
    /// The number of calls that failed.
    uint32_t failures;
    /// The number of calls that were of these kinds on these files.
    uint32_t calls;
};

/// The kinds of calls, as they stand in the trace.
enum faulty_disk_kind {
    FAULTY_OPEN = 1,
    FAULTY_WRITE = 2,
    FAULTY_TRUNCATE = 3,
    FAULTY_SYNC = 4,
    FAULTY_RENAME = 5,
    FAULTY_UNLINK = 6,
    FAULTY_MAKE_DIRECTORY = 7,
    FAULTY_MAP = 8,
    FAULTY_READ = 9,
    /// A line on standard output: what the program has acknowledged by then.
    FAULTY_SAY = 10,
};

/// The kinds of files, by the end of their names.
enum faulty_disk_file {
    FAULTY_DATABASE = 1,
    FAULTY_LOG = 2,
    FAULTY_INDEX = 3,
    FAULTY_DIRECTORY = 4,
    FAULTY_OTHER = 5,
};

/// The head of one record in the trace. The path follows it, and then the data of a write.
struct faulty_disk_record {
    uint32_t kind;
    /// 0, or the error.
    uint32_t error;
    /// The number of the file, which stays its own when it is renamed; the directory's for an operation on names.
    uint64_t file;
    /// The offset of a write, or the length after a truncation.
    uint64_t offset;
    uint32_t path_length;
    uint32_t data_length;
};
