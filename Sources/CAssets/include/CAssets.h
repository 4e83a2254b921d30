#pragma once

/// The git commit that the program was built from, or "unknown".
extern const char *const build_commit;

/// The contract (openapi.yaml), embedded in the program.
extern const unsigned char *const asset_contract;
extern const long asset_contract_size;

/// An embedded file.
struct asset {
    const char *name;
    const unsigned char *bytes;
    long size;
};

/// The files of the console.
extern const struct asset *const asset_console;
extern const long asset_console_count;

/// The client for browsers, and its types.
extern const struct asset asset_client;
extern const struct asset asset_client_types;
extern const struct asset asset_offline;
extern const struct asset asset_mirror;
