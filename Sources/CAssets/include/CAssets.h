#pragma once

/// Files that are built into the program.
extern const unsigned char *const asset_contract;
extern const long asset_contract_size;
