// The part of libcurl that the server uses, loaded when it is first needed. A server that fetches nothing never loads
// it, and building one needs no curl package. The numbers are those of curl's ABI, stable since version 7.
#ifndef HEADWATER_CCURL_H
#define HEADWATER_CCURL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct HWCurlEasy HWCurlEasy;
typedef struct HWCurlMulti HWCurlMulti;
typedef struct HWCurlList HWCurlList;

// Loads libcurl. Returns nil on success or if it is loaded, otherwise the reason. Call it from one thread only.
const char *_Nullable hw_curl_load(void);
// Returns libcurl's version text.
const char *_Nonnull hw_curl_version(void);

HWCurlEasy *_Nullable hw_curl_easy(void);
void hw_curl_easy_end(HWCurlEasy *_Nonnull easy);
int hw_curl_set_long(HWCurlEasy *_Nonnull easy, int option, long value);
int hw_curl_set_text(HWCurlEasy *_Nonnull easy, int option, const char *_Nonnull value);
int hw_curl_set_pointer(HWCurlEasy *_Nonnull easy, int option, const void *_Nullable value);
typedef size_t (*hw_curl_sink)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable data);
int hw_curl_set_sink(HWCurlEasy *_Nonnull easy, int option, hw_curl_sink _Nonnull sink);
// Returns true if a transfer may use an address: 4 bytes for IPv4, 16 for IPv6.
typedef bool (*hw_curl_gate)(const unsigned char *_Nonnull address, size_t count, void *_Nullable data);
// Asks `gate` before each connection is made, and before a request goes over a connection that was kept. Returns false if
// libcurl cannot.
bool hw_curl_guard(HWCurlEasy *_Nonnull easy, hw_curl_gate _Nonnull gate, void *_Nullable data);

long hw_curl_status(HWCurlEasy *_Nonnull easy);
void *_Nullable hw_curl_data(HWCurlEasy *_Nonnull easy);
const char *_Nonnull hw_curl_words(int code);

HWCurlList *_Nullable hw_curl_list(HWCurlList *_Nullable list, const char *_Nonnull line);
void hw_curl_list_end(HWCurlList *_Nullable list);

HWCurlMulti *_Nullable hw_curl_multi(void);
void hw_curl_multi_end(HWCurlMulti *_Nonnull multi);
int hw_curl_multi_set(HWCurlMulti *_Nonnull multi, int option, long value);
int hw_curl_multi_add(HWCurlMulti *_Nonnull multi, HWCurlEasy *_Nonnull easy);
int hw_curl_multi_remove(HWCurlMulti *_Nonnull multi, HWCurlEasy *_Nonnull easy);
int hw_curl_multi_perform(HWCurlMulti *_Nonnull multi);
// Waits until a transfer can progress, `hw_curl_multi_wake` is called, or the time is over.
int hw_curl_multi_poll(HWCurlMulti *_Nonnull multi, int milliseconds);
int hw_curl_multi_wake(HWCurlMulti *_Nonnull multi);
// Returns the next completed transfer and its result code; nil if there is none.
HWCurlEasy *_Nullable hw_curl_multi_next(HWCurlMulti *_Nonnull multi, int *_Nonnull code);

enum {
    HW_CURL_WRITE_DATA = 10001, HW_CURL_URL = 10002, HW_CURL_PROXY = 10004, HW_CURL_ERROR_BUFFER = 10010, HW_CURL_USER_AGENT = 10018,
    HW_CURL_HEADERS = 10023, HW_CURL_HEADER_DATA = 10029, HW_CURL_CUSTOM_REQUEST = 10036, HW_CURL_CA_FILE = 10065,
    HW_CURL_ACCEPT_ENCODING = 10102, HW_CURL_PRIVATE = 10103, HW_CURL_COPY_POST_FIELDS = 10165,
    HW_CURL_WRITE = 20011, HW_CURL_HEADER = 20079,
    HW_CURL_LOW_SPEED_LIMIT = 19, HW_CURL_LOW_SPEED_SECONDS = 20,
    HW_CURL_POST = 47, HW_CURL_FOLLOW = 52, HW_CURL_POST_SIZE = 60, HW_CURL_REDIRECTS_LIMIT = 68, HW_CURL_NO_SIGNAL = 99,
    HW_CURL_TIMEOUT_MS = 155, HW_CURL_CONNECT_TIMEOUT_MS = 156, HW_CURL_PROTOCOLS = 181, HW_CURL_REDIRECT_PROTOCOLS = 182,
    HW_CURL_MULTI_KEPT_CONNECTIONS = 6, HW_CURL_MULTI_HOST_CONNECTIONS = 7, HW_CURL_MULTI_CONNECTIONS = 13,
    HW_CURL_HTTP = 1, HW_CURL_HTTPS = 2,
    HW_CURL_ERROR_BUFFER_SIZE = 256,
};

// The result codes of a transfer that the server distinguishes.
enum {
    HW_CURL_OK = 0, HW_CURL_UNSUPPORTED_PROTOCOL = 1, HW_CURL_MALFORMED_URL = 3, HW_CURL_NO_PROXY = 5,
    HW_CURL_NO_HOST = 6, HW_CURL_NO_CONNECTION = 7, HW_CURL_TIMED_OUT = 28, HW_CURL_NO_TLS = 35,
    HW_CURL_TOO_MANY_REDIRECTS = 47, HW_CURL_NOT_TRUSTED = 60, HW_CURL_NO_CERTIFICATES = 77,
};

#endif
