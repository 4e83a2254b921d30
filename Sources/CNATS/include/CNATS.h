// The part of libnats that a cluster uses, loaded when it is first needed. A server without a cluster never loads it, and
// building one needs no NATS package. The declarations are those of libnats' ABI since version 3.0.
#ifndef HEADWATER_CNATS_H
#define HEADWATER_CNATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct HWNatsConnection HWNatsConnection;
typedef struct HWNatsSubscription HWNatsSubscription;
typedef struct HWNatsMessage HWNatsMessage;

// One message for a subscription; `id` is the subscription's. The callee does not own the message. It runs on a thread of
// libnats.
typedef void (*hw_nats_message)(uintptr_t id, const HWNatsMessage *_Nonnull message);
// The end of a connection; `id` is the connection's. It runs on a thread of libnats.
typedef void (*hw_nats_end)(uintptr_t id);

// Loads libnats. Returns nil on success or if it is loaded, otherwise the reason. Any thread may call it. All messages and
// ends go to the functions of the first call, with an id: no memory of the caller is reached after its end.
const char *_Nullable hw_nats_load(hw_nats_message _Nonnull received, hw_nats_end _Nonnull ended);
// Returns libnats' version text.
const char *_Nonnull hw_nats_version(void);
// Returns the words of a status.
const char *_Nonnull hw_nats_words(int status);

typedef struct {
    const char *_Nonnull url;
    const char *_Nonnull name;
    // The host that the server's certificate must name; nil without TLS.
    const char *_Nullable tls_host;
    const char *_Nullable user;
    const char *_Nullable password;
    const char *_Nullable credentials_file;
    int64_t timeout_ms;
    int64_t ping_ms;
    uintptr_t id;
} HWNatsSettings;

// Connects to one server, for as long as this connection lasts: it never connects again by itself, and nothing that was
// published is sent again. Returns the status, and the words of libnats in `reason`.
int hw_nats_connect(
    const HWNatsSettings *_Nonnull settings, HWNatsConnection *_Nullable *_Nonnull connection, char *_Nonnull reason,
    size_t reason_size);
// Closes the connection and frees it.
void hw_nats_disconnect(HWNatsConnection *_Nonnull connection);
int64_t hw_nats_payload_limit(HWNatsConnection *_Nonnull connection);

// Subscribes, as one of a group if `group` is given.
int hw_nats_subscribe(
    HWNatsConnection *_Nonnull connection, const char *_Nonnull subject, const char *_Nullable group, uintptr_t id,
    HWNatsSubscription *_Nullable *_Nonnull subscription);
void hw_nats_unsubscribe(HWNatsSubscription *_Nonnull subscription);

// Publishes one message with up to two header fields.
int hw_nats_publish(
    HWNatsConnection *_Nonnull connection, const char *_Nonnull subject, const char *_Nullable reply,
    const uint8_t *_Nullable bytes, size_t count, const char *_Nullable name, const char *_Nullable value,
    const char *_Nullable second_name, const char *_Nullable second_value);

const char *_Nonnull hw_nats_subject(const HWNatsMessage *_Nonnull message);
const char *_Nullable hw_nats_reply(const HWNatsMessage *_Nonnull message);
const uint8_t *_Nullable hw_nats_bytes(const HWNatsMessage *_Nonnull message);
size_t hw_nats_count(const HWNatsMessage *_Nonnull message);
// Returns true if the server says that nobody subscribes to the subject of the request.
bool hw_nats_is_nobody(const HWNatsMessage *_Nonnull message);
// Returns the value of a header field, or nil. It is valid as long as the message.
const char *_Nullable hw_nats_field(const HWNatsMessage *_Nonnull message, const char *_Nonnull name);

// The statuses that the log distinguishes.
enum {
    HW_NATS_OK = 0, HW_NATS_CLOSED = 5, HW_NATS_NO_SERVER = 6, HW_NATS_NO_TLS = 8, HW_NATS_NEEDS_TLS = 9,
    HW_NATS_NOT_AUTHORIZED = 11, HW_NATS_NOT_PERMITTED = 12, HW_NATS_PAYLOAD_TOO_LARGE = 21, HW_NATS_TIMEOUT = 26,
    HW_NATS_TLS_FAILED = 29,
};

#endif
