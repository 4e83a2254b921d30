#pragma once

/// The git commit that the program is built from, or "unknown".
extern const char *const build_commit;

/// Files that are built into the program.
extern const unsigned char *const asset_contract;
extern const long asset_contract_size;

/// A file that is built into the program.
struct asset {
    const char *name;
    const unsigned char *bytes;
    long size;
};

/// The files of the console.
extern const struct asset *const asset_console;
extern const long asset_console_count;
