#include "CAssets.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char contract[] = {
#embed "../../openapi.yaml"
};
const unsigned char *const asset_contract = contract;
const long asset_contract_size = sizeof contract;

const char *const build_commit = HEADWATER_COMMIT;
