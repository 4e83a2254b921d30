// The files of the console, and the one table of them.

#include "CAssets.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Console/index.html"
};
static const unsigned char actions_js[] = {
#embed "Console/actions.js"
};
static const unsigned char audit_js[] = {
#embed "Console/audit.js"
};
static const unsigned char changes_js[] = {
#embed "Console/changes.js"
};
static const unsigned char chart_js[] = {
#embed "Console/chart.js"
};
static const unsigned char confetti_js[] = {
#embed "Console/confetti.js"
};
static const unsigned char curl_js[] = {
#embed "Console/curl.js"
};
static const unsigned char dom_js[] = {
#embed "Console/dom.js"
};
static const unsigned char edit_js[] = {
#embed "Console/edit.js"
};
static const unsigned char editor_js[] = {
#embed "Console/editor.js"
};
static const unsigned char features_js[] = {
#embed "Console/features.js"
};
static const unsigned char feed_js[] = {
#embed "Console/feed.js"
};
static const unsigned char form_js[] = {
#embed "Console/form.js"
};
static const unsigned char format_js[] = {
#embed "Console/format.js"
};
static const unsigned char graph_js[] = {
#embed "Console/graph.js"
};
static const unsigned char guitar_js[] = {
#embed "Console/guitar.js"
};
static const unsigned char health_js[] = {
#embed "Console/health.js"
};
static const unsigned char icon_svg[] = {
#embed "Console/icon.svg"
};
static const unsigned char inspector_js[] = {
#embed "Console/inspector.js"
};
static const unsigned char layers_js[] = {
#embed "Console/layers.js"
};
static const unsigned char live_js[] = {
#embed "Console/live.js"
};
static const unsigned char luthier_js[] = {
#embed "Console/luthier.js"
};
static const unsigned char main_js[] = {
#embed "Console/main.js"
};
static const unsigned char marbles_js[] = {
#embed "Console/marbles.js"
};
static const unsigned char metrics_js[] = {
#embed "Console/metrics.js"
};
static const unsigned char overview_js[] = {
#embed "Console/overview.js"
};
static const unsigned char part_js[] = {
#embed "Console/part.js"
};
static const unsigned char past_js[] = {
#embed "Console/past.js"
};
static const unsigned char pointer_js[] = {
#embed "Console/pointer.js"
};
static const unsigned char rules_js[] = {
#embed "Console/rules.js"
};
static const unsigned char shop_js[] = {
#embed "Console/shop.js"
};
static const unsigned char space_js[] = {
#embed "Console/space.js"
};
static const unsigned char spaces_js[] = {
#embed "Console/spaces.js"
};
static const unsigned char streams_js[] = {
#embed "Console/streams.js"
};
static const unsigned char style_css[] = {
#embed "Console/style.css"
};
static const unsigned char subjects_js[] = {
#embed "Console/subjects.js"
};
static const unsigned char table_js[] = {
#embed "Console/table.js"
};
static const unsigned char tables_js[] = {
#embed "Console/tables.js"
};
static const unsigned char tape_js[] = {
#embed "Console/tape.js"
};
static const unsigned char token_js[] = {
#embed "Console/token.js"
};
static const unsigned char user_js[] = {
#embed "Console/user.js"
};
static const unsigned char wire_js[] = {
#embed "Console/wire.js"
};

#define FILE(name, bytes) { name, bytes, sizeof bytes }

static const struct asset files[] = {
    FILE("index.html", index_html),
    FILE("actions.js", actions_js),
    FILE("audit.js", audit_js),
    FILE("changes.js", changes_js),
    FILE("chart.js", chart_js),
    FILE("confetti.js", confetti_js),
    FILE("curl.js", curl_js),
    FILE("dom.js", dom_js),
    FILE("edit.js", edit_js),
    FILE("editor.js", editor_js),
    FILE("features.js", features_js),
    FILE("feed.js", feed_js),
    FILE("form.js", form_js),
    FILE("format.js", format_js),
    FILE("graph.js", graph_js),
    FILE("guitar.js", guitar_js),
    FILE("health.js", health_js),
    FILE("icon.svg", icon_svg),
    FILE("inspector.js", inspector_js),
    FILE("layers.js", layers_js),
    FILE("live.js", live_js),
    FILE("luthier.js", luthier_js),
    FILE("main.js", main_js),
    FILE("marbles.js", marbles_js),
    FILE("metrics.js", metrics_js),
    FILE("overview.js", overview_js),
    FILE("part.js", part_js),
    FILE("past.js", past_js),
    FILE("pointer.js", pointer_js),
    FILE("rules.js", rules_js),
    FILE("shop.js", shop_js),
    FILE("space.js", space_js),
    FILE("spaces.js", spaces_js),
    FILE("streams.js", streams_js),
    FILE("style.css", style_css),
    FILE("subjects.js", subjects_js),
    FILE("table.js", table_js),
    FILE("tables.js", tables_js),
    FILE("tape.js", tape_js),
    FILE("token.js", token_js),
    FILE("user.js", user_js),
    FILE("wire.js", wire_js),
};

const struct asset *const asset_console = files;
const long asset_console_count = sizeof files / sizeof files[0];
