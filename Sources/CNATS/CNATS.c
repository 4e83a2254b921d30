#include "CNATS.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

typedef struct Options Options;
typedef void (*MessageHandler)(HWNatsConnection *, HWNatsSubscription *, HWNatsMessage *, void *);
typedef void (*ConnectionHandler)(HWNatsConnection *, void *);
typedef void (*ErrorHandler)(HWNatsConnection *, HWNatsSubscription *, int, void *);

static struct {
    const char *(*nats_GetVersion)(void);
    const char *(*nats_GetLastError)(int *);
    const char *(*natsStatus_GetText)(int);
    int (*natsOptions_Create)(Options **);
    void (*natsOptions_Destroy)(Options *);
    int (*natsOptions_SetURL)(Options *, const char *);
    int (*natsOptions_SetName)(Options *, const char *);
    int (*natsOptions_SetUserInfo)(Options *, const char *, const char *);
    int (*natsOptions_SetUserCredentialsFromFiles)(Options *, const char *, const char *);
    int (*natsOptions_SetSecure)(Options *, bool);
    int (*natsOptions_SetExpectedHostname)(Options *, const char *);
    int (*natsOptions_SetTimeout)(Options *, int64_t);
    int (*natsOptions_SetWriteDeadline)(Options *, int64_t);
    int (*natsOptions_SetPingInterval)(Options *, int64_t);
    int (*natsOptions_SetMaxPingsOut)(Options *, int);
    int (*natsOptions_SetAllowReconnect)(Options *, bool);
    int (*natsOptions_SetIgnoreDiscoveredServers)(Options *, bool);
    int (*natsOptions_SetSendAsap)(Options *, bool);
    int (*natsOptions_UseGlobalMessageDelivery)(Options *, bool);
    int (*natsOptions_SetClosedCB)(Options *, ConnectionHandler, void *);
    int (*natsOptions_SetErrorHandler)(Options *, ErrorHandler, void *);
    int (*natsConnection_Connect)(HWNatsConnection **, Options *);
    void (*natsConnection_Destroy)(HWNatsConnection *);
    int64_t (*natsConnection_GetMaxPayload)(HWNatsConnection *);
    int (*natsConnection_Publish)(HWNatsConnection *, const char *, const void *, int);
    int (*natsConnection_PublishRequest)(HWNatsConnection *, const char *, const char *, const void *, int);
    int (*natsConnection_PublishMsg)(HWNatsConnection *, HWNatsMessage *);
    int (*natsConnection_Subscribe)(
        HWNatsSubscription **, HWNatsConnection *, const char *, MessageHandler, void *);
    int (*natsConnection_QueueSubscribe)(
        HWNatsSubscription **, HWNatsConnection *, const char *, const char *, MessageHandler, void *);
    void (*natsSubscription_Destroy)(HWNatsSubscription *);
    int (*natsMsg_Create)(HWNatsMessage **, const char *, const char *, const char *, int);
    void (*natsMsg_Destroy)(HWNatsMessage *);
    const char *(*natsMsg_GetSubject)(const HWNatsMessage *);
    const char *(*natsMsg_GetReply)(const HWNatsMessage *);
    const char *(*natsMsg_GetData)(const HWNatsMessage *);
    int (*natsMsg_GetDataLength)(const HWNatsMessage *);
    bool (*natsMsg_IsNoResponders)(HWNatsMessage *);
    int (*natsMsgHeader_Set)(HWNatsMessage *, const char *, const char *);
    int (*natsMsgHeader_Get)(HWNatsMessage *, const char *, const char **);
} nats;

static const char *load(void) {
    static void *library = NULL;
    static char reason[256];
    if (library) return NULL;
    const char *names[] = {"libnats.so.3.4", "libnats.so.3", "libnats.so"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!found) return "libnats is missing: install libnats3.4";
#define FIND(name)                                                                    \
    if (!(*(void **)&nats.name = dlsym(found, #name))) {                              \
        snprintf(reason, sizeof reason, "libnats is too old: it has no " #name);      \
        dlclose(found);                                                               \
        return reason;                                                                \
    }
    FIND(nats_GetVersion) FIND(nats_GetLastError) FIND(natsStatus_GetText) FIND(natsOptions_Create)
    FIND(natsOptions_Destroy) FIND(natsOptions_SetURL) FIND(natsOptions_SetName) FIND(natsOptions_SetUserInfo)
    FIND(natsOptions_SetUserCredentialsFromFiles) FIND(natsOptions_SetSecure) FIND(natsOptions_SetExpectedHostname)
    FIND(natsOptions_SetTimeout) FIND(natsOptions_SetWriteDeadline) FIND(natsOptions_SetPingInterval)
    FIND(natsOptions_SetMaxPingsOut) FIND(natsOptions_SetAllowReconnect) FIND(natsOptions_SetIgnoreDiscoveredServers)
    FIND(natsOptions_SetSendAsap) FIND(natsOptions_UseGlobalMessageDelivery) FIND(natsOptions_SetClosedCB)
    FIND(natsOptions_SetErrorHandler) FIND(natsConnection_Connect) FIND(natsConnection_Destroy)
    FIND(natsConnection_GetMaxPayload) FIND(natsConnection_Publish) FIND(natsConnection_PublishRequest)
    FIND(natsConnection_PublishMsg) FIND(natsConnection_Subscribe) FIND(natsConnection_QueueSubscribe)
    FIND(natsSubscription_Destroy) FIND(natsMsg_Create) FIND(natsMsg_Destroy) FIND(natsMsg_GetSubject)
    FIND(natsMsg_GetReply) FIND(natsMsg_GetData) FIND(natsMsg_GetDataLength) FIND(natsMsg_IsNoResponders)
    FIND(natsMsgHeader_Set) FIND(natsMsgHeader_Get)
    library = found;
    return NULL;
}

static hw_nats_message message_arrived;
static hw_nats_end connection_ended;

const char *hw_nats_load(hw_nats_message received, hw_nats_end ended) {
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    if (!message_arrived) {
        message_arrived = received;
        connection_ended = ended;
    }
    const char *lack = load();
    pthread_mutex_unlock(&one);
    return lack;
}

const char *hw_nats_version(void) { return nats.nats_GetVersion(); }
const char *hw_nats_words(int status) { return nats.natsStatus_GetText(status); }

static void closed(HWNatsConnection *connection, void *id) { connection_ended((uintptr_t)id); }

// Without a handler libnats prints errors on standard error. Lost messages show as a gap, lost connections as an end.
static void passed_over(HWNatsConnection *connection, HWNatsSubscription *subscription, int status, void *id) {}

static void arrived(HWNatsConnection *connection, HWNatsSubscription *subscription, HWNatsMessage *message, void *id) {
    message_arrived((uintptr_t)id, message);
    nats.natsMsg_Destroy(message);
}

static int configure(const HWNatsSettings *settings, Options *options) {
    int status = nats.natsOptions_SetURL(options, settings->url);
    if (!status) status = nats.natsOptions_SetName(options, settings->name);
    if (!status && settings->user) status = nats.natsOptions_SetUserInfo(options, settings->user, settings->password);
    if (!status && settings->credentials_file)
        status = nats.natsOptions_SetUserCredentialsFromFiles(options, settings->credentials_file, NULL);
    if (!status && settings->tls_host) status = nats.natsOptions_SetSecure(options, true);
    if (!status && settings->tls_host) status = nats.natsOptions_SetExpectedHostname(options, settings->tls_host);
    if (!status) status = nats.natsOptions_SetTimeout(options, settings->timeout_ms);
    if (!status) status = nats.natsOptions_SetWriteDeadline(options, settings->timeout_ms);
    if (!status) status = nats.natsOptions_SetPingInterval(options, settings->ping_ms);
    if (!status) status = nats.natsOptions_SetMaxPingsOut(options, 2);
    if (!status) status = nats.natsOptions_SetAllowReconnect(options, false);
    if (!status) status = nats.natsOptions_SetIgnoreDiscoveredServers(options, true);
    if (!status) status = nats.natsOptions_SetSendAsap(options, true);
    // One thread delivers all messages of the process.
    if (!status) status = nats.natsOptions_UseGlobalMessageDelivery(options, true);
    if (!status) status = nats.natsOptions_SetErrorHandler(options, passed_over, NULL);
    if (!status) status = nats.natsOptions_SetClosedCB(options, closed, (void *)settings->id);
    return status;
}

int hw_nats_connect(
    const HWNatsSettings *settings, HWNatsConnection **connection, char *reason, size_t reason_size) {
    Options *options = NULL;
    int status = nats.natsOptions_Create(&options);
    if (!status) status = configure(settings, options);
    if (!status) status = nats.natsConnection_Connect(connection, options);
    if (status) {
        const char *words = nats.nats_GetLastError(NULL);
        snprintf(reason, reason_size, "%s", words && *words ? words : nats.natsStatus_GetText(status));
    }
    // The connection has its own copy.
    if (options) nats.natsOptions_Destroy(options);
    return status;
}

void hw_nats_disconnect(HWNatsConnection *connection) { nats.natsConnection_Destroy(connection); }
int64_t hw_nats_payload_limit(HWNatsConnection *connection) { return nats.natsConnection_GetMaxPayload(connection); }

int hw_nats_subscribe(
    HWNatsConnection *connection, const char *subject, const char *group, uintptr_t id,
    HWNatsSubscription **subscription) {
    if (group)
        return nats.natsConnection_QueueSubscribe(subscription, connection, subject, group, arrived, (void *)id);
    return nats.natsConnection_Subscribe(subscription, connection, subject, arrived, (void *)id);
}

void hw_nats_unsubscribe(HWNatsSubscription *subscription) { nats.natsSubscription_Destroy(subscription); }

int hw_nats_publish(
    HWNatsConnection *connection, const char *subject, const char *reply, const uint8_t *bytes, size_t count,
    const char *name, const char *value, const char *second_name, const char *second_value) {
    if (count > INT_MAX) return HW_NATS_PAYLOAD_TOO_LARGE;
    if (!name) {
        if (reply) return nats.natsConnection_PublishRequest(connection, subject, reply, bytes, (int)count);
        return nats.natsConnection_Publish(connection, subject, bytes, (int)count);
    }
    HWNatsMessage *message = NULL;
    int status = nats.natsMsg_Create(&message, subject, reply, (const char *)bytes, (int)count);
    if (!status) status = nats.natsMsgHeader_Set(message, name, value);
    if (!status && second_name) status = nats.natsMsgHeader_Set(message, second_name, second_value);
    if (!status) status = nats.natsConnection_PublishMsg(connection, message);
    if (message) nats.natsMsg_Destroy(message);
    return status;
}

const char *hw_nats_subject(const HWNatsMessage *message) { return nats.natsMsg_GetSubject(message); }
const char *hw_nats_reply(const HWNatsMessage *message) { return nats.natsMsg_GetReply(message); }
const uint8_t *hw_nats_bytes(const HWNatsMessage *message) { return (const uint8_t *)nats.natsMsg_GetData(message); }

size_t hw_nats_count(const HWNatsMessage *message) {
    int count = nats.natsMsg_GetDataLength(message);
    return count > 0 ? (size_t)count : 0;
}

bool hw_nats_is_nobody(const HWNatsMessage *message) { return nats.natsMsg_IsNoResponders((HWNatsMessage *)message); }

const char *hw_nats_field(const HWNatsMessage *message, const char *name) {
    const char *value = NULL;
    // Reading the header parses it in place, which the library permits to the message's receiver.
    return nats.natsMsgHeader_Get((HWNatsMessage *)message, name, &value) ? NULL : value;
}
