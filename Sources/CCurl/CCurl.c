#include "CCurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

typedef struct {
    int kind;
    HWCurlEasy *easy;
    union { void *other; int code; } data;
} Message;

static struct {
    int (*global_init)(long);
    char *(*version)(void);
    HWCurlEasy *(*easy_init)(void);
    void (*easy_cleanup)(HWCurlEasy *);
    int (*easy_setopt)(HWCurlEasy *, int, ...);
    int (*easy_getinfo)(HWCurlEasy *, int, ...);
    const char *(*easy_strerror)(int);
    HWCurlList *(*slist_append)(HWCurlList *, const char *);
    void (*slist_free_all)(HWCurlList *);
    HWCurlMulti *(*multi_init)(void);
    int (*multi_cleanup)(HWCurlMulti *);
    int (*multi_setopt)(HWCurlMulti *, int, ...);
    int (*multi_add_handle)(HWCurlMulti *, HWCurlEasy *);
    int (*multi_remove_handle)(HWCurlMulti *, HWCurlEasy *);
    int (*multi_perform)(HWCurlMulti *, int *);
    int (*multi_poll)(HWCurlMulti *, void *, unsigned, int, int *);
    int (*multi_wakeup)(HWCurlMulti *);
    Message *(*multi_info_read)(HWCurlMulti *, int *);
} curl;

const char *hw_curl_load(void) {
    static void *library = NULL;
    static char reason[256];
    if (library) return NULL;
    const char *names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!found) return "libcurl is missing: install libcurl4";
#define FIND(name)                                                                        \
    if (!(*(void **)&curl.name = dlsym(found, "curl_" #name))) {                          \
        snprintf(reason, sizeof reason, "libcurl is too old: it has no curl_" #name);     \
        dlclose(found);                                                                   \
        return reason;                                                                    \
    }
    FIND(global_init) FIND(version) FIND(easy_init) FIND(easy_cleanup) FIND(easy_setopt) FIND(easy_getinfo)
    FIND(easy_strerror) FIND(slist_append) FIND(slist_free_all) FIND(multi_init) FIND(multi_cleanup) FIND(multi_setopt) FIND(multi_add_handle)
    FIND(multi_remove_handle) FIND(multi_perform) FIND(multi_poll) FIND(multi_wakeup) FIND(multi_info_read)
    // CURL_GLOBAL_ALL
    int code = curl.global_init(3);
    if (code) {
        snprintf(reason, sizeof reason, "libcurl cannot start: %s", curl.easy_strerror(code));
        return reason;
    }
    library = found;
    return NULL;
}

const char *hw_curl_version(void) { return curl.version(); }

HWCurlEasy *hw_curl_easy(void) { return curl.easy_init(); }
void hw_curl_easy_end(HWCurlEasy *easy) { curl.easy_cleanup(easy); }
int hw_curl_set_long(HWCurlEasy *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }
int hw_curl_set_text(HWCurlEasy *easy, int option, const char *value) { return curl.easy_setopt(easy, option, value); }
int hw_curl_set_pointer(HWCurlEasy *easy, int option, const void *value) { return curl.easy_setopt(easy, option, value); }
int hw_curl_set_sink(HWCurlEasy *easy, int option, hw_curl_sink sink) { return curl.easy_setopt(easy, option, sink); }

// The beginning of libcurl's struct curl_sockaddr. The address follows, and can be longer than a struct sockaddr.
typedef struct {
    int family;
    int kind;
    int protocol;
    unsigned length;
    struct sockaddr address;
} Address;

// The one gate of the program.
static hw_curl_gate gate;

static int open_socket(void *data, int purpose, Address *found) {
    (void)purpose;
    const char *address = (const char *)&found->address;
    unsigned char bytes[16];
    size_t count = 0;
    if (found->family == AF_INET && found->length >= sizeof(struct sockaddr_in)) {
        count = 4;
        memcpy(bytes, address + offsetof(struct sockaddr_in, sin_addr), count);
    } else if (found->family == AF_INET6 && found->length >= sizeof(struct sockaddr_in6)) {
        count = 16;
        memcpy(bytes, address + offsetof(struct sockaddr_in6, sin6_addr), count);
    }
    // CURL_SOCKET_BAD
    if (!count || !gate(bytes, count, data)) return -1;
    return socket(found->family, found->kind | SOCK_CLOEXEC, found->protocol);
}

static int begin_request(void *data, char *remote, char *local, int remote_port, int local_port) {
    (void)local, (void)remote_port, (void)local_port;
    unsigned char bytes[16];
    size_t count = remote && inet_pton(AF_INET, remote, bytes) == 1 ? 4 : remote && inet_pton(AF_INET6, remote, bytes) == 1 ? 16 : 0;
    // CURL_PREREQFUNC_OK, CURL_PREREQFUNC_ABORT
    return count && gate(bytes, count, data) ? 0 : 1;
}

bool hw_curl_guard(HWCurlEasy *easy, hw_curl_gate own, void *data) {
    gate = own;
    // CURLOPT_OPENSOCKETFUNCTION, CURLOPT_OPENSOCKETDATA
    if (curl.easy_setopt(easy, 20163, open_socket) || curl.easy_setopt(easy, 10164, data)) return false;
    // CURLOPT_PREREQFUNCTION, CURLOPT_PREREQDATA, since 7.80. An older libcurl connects anew: CURLOPT_FRESH_CONNECT.
    if (curl.easy_setopt(easy, 20312, begin_request) || curl.easy_setopt(easy, 10313, data)) {
        return curl.easy_setopt(easy, 74, 1L) == 0;
    }
    return true;
}

long hw_curl_status(HWCurlEasy *easy) {
    long status = 0;
    curl.easy_getinfo(easy, 0x200000 + 2, &status);
    return status;
}

void *hw_curl_data(HWCurlEasy *easy) {
    void *data = NULL;
    curl.easy_getinfo(easy, 0x100000 + 21, &data);
    return data;
}

const char *hw_curl_words(int code) { return curl.easy_strerror(code); }

HWCurlList *hw_curl_list(HWCurlList *list, const char *line) { return curl.slist_append(list, line); }
void hw_curl_list_end(HWCurlList *list) { curl.slist_free_all(list); }

HWCurlMulti *hw_curl_multi(void) { return curl.multi_init(); }
void hw_curl_multi_end(HWCurlMulti *multi) { curl.multi_cleanup(multi); }
int hw_curl_multi_set(HWCurlMulti *multi, int option, long value) { return curl.multi_setopt(multi, option, value); }
int hw_curl_multi_add(HWCurlMulti *multi, HWCurlEasy *easy) { return curl.multi_add_handle(multi, easy); }
int hw_curl_multi_remove(HWCurlMulti *multi, HWCurlEasy *easy) { return curl.multi_remove_handle(multi, easy); }

int hw_curl_multi_perform(HWCurlMulti *multi) {
    int running = 0;
    return curl.multi_perform(multi, &running);
}

int hw_curl_multi_poll(HWCurlMulti *multi, int milliseconds) {
    return curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}
int hw_curl_multi_wake(HWCurlMulti *multi) { return curl.multi_wakeup(multi); }

HWCurlEasy *hw_curl_multi_next(HWCurlMulti *multi, int *code) {
    int left = 0;
    Message *message;
    while ((message = curl.multi_info_read(multi, &left))) {
        // CURLMSG_DONE
        if (message->kind != 1) continue;
        *code = message->data.code;
        return message->easy;
    }
    return NULL;
}
