// The client for browsers, its types, and the service worker of the site.

#include "CAssets.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char client_js[] = {
#embed "Client/client.js"
};
static const unsigned char offline_js[] = {
#embed "Client/offline.js"
};
static const unsigned char mirror_js[] = {
#embed "Client/mirror.js"
};
static const unsigned char client_d_ts[] = {
#embed "Client/client.d.ts"
};

const struct asset asset_client = { "client.js", client_js, sizeof client_js };
const struct asset asset_offline = { "offline.js", offline_js, sizeof offline_js };
const struct asset asset_mirror = { "mirror.js", mirror_js, sizeof mirror_js };
const struct asset asset_client_types = { "client.d.ts", client_d_ts, sizeof client_d_ts };
