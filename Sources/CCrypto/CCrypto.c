#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

typedef struct Context Context;
typedef struct Hash Hash;
typedef struct Number Number;

static struct {
    HWCryptoKey *(*d2i_PUBKEY)(HWCryptoKey **, const unsigned char **, long);
    void (*EVP_PKEY_free)(HWCryptoKey *);
    Context *(*EVP_MD_CTX_new)(void);
    void (*EVP_MD_CTX_free)(Context *);
    int (*EVP_DigestVerifyInit)(Context *, void **, const Hash *, void *, HWCryptoKey *);
    int (*EVP_DigestVerify)(Context *, const unsigned char *, size_t, const unsigned char *, size_t);
    const Hash *(*EVP_sha256)(void);
    int (*EVP_Digest)(const void *, size_t, unsigned char *, unsigned *, const Hash *, void *);
    unsigned char *(*HMAC)(const Hash *, const void *, int, const unsigned char *, size_t, unsigned char *, unsigned *);
    Number *(*BN_bin2bn)(const unsigned char *, int, Number *);
    void (*BN_free)(Number *);
    int (*BN_is_prime_ex)(const Number *, int, void *, void *);
    void (*ERR_clear_error)(void);
} crypto;

const char *hw_crypto_load(void) {
    static void *library = NULL;
    static char reason[256];
    if (library) return NULL;
    const char *names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!found) return "libcrypto is missing: install libssl3";
#define FIND(name)                                                                      \
    if (!(*(void **)&crypto.name = dlsym(found, #name))) {                              \
        snprintf(reason, sizeof reason, "libcrypto is too old: it has no " #name);      \
        dlclose(found);                                                                 \
        return reason;                                                                  \
    }
    FIND(d2i_PUBKEY) FIND(EVP_PKEY_free) FIND(EVP_MD_CTX_new) FIND(EVP_MD_CTX_free) FIND(EVP_DigestVerifyInit)
    FIND(EVP_DigestVerify) FIND(EVP_sha256) FIND(EVP_Digest) FIND(HMAC) FIND(BN_bin2bn)
    FIND(BN_free) FIND(BN_is_prime_ex) FIND(ERR_clear_error)
    library = found;
    return NULL;
}

HWCryptoKey *hw_crypto_key(const unsigned char *info, size_t count) {
    if (count > LONG_MAX) return NULL;
    const unsigned char *position = info;
    HWCryptoKey *key = crypto.d2i_PUBKEY(NULL, &position, (long)count);
    crypto.ERR_clear_error();
    if (key && position != info + count) {
        crypto.EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

void hw_crypto_key_end(HWCryptoKey *key) { crypto.EVP_PKEY_free(key); }

bool hw_crypto_verifies(
    HWCryptoKey *key, bool hashes, const unsigned char *signature, size_t signature_count, const unsigned char *content,
    size_t count) {
    Context *context = crypto.EVP_MD_CTX_new();
    if (!context) return false;
    const Hash *hash = hashes ? crypto.EVP_sha256() : NULL;
    // Only 1 means a valid signature; 0 and negative numbers do not.
    bool isValid = crypto.EVP_DigestVerifyInit(context, NULL, hash, NULL, key) == 1 &&
                   crypto.EVP_DigestVerify(context, signature, signature_count, content, count) == 1;
    crypto.EVP_MD_CTX_free(context);
    // A failure leaves its reasons in a queue of the thread.
    crypto.ERR_clear_error();
    return isValid;
}

bool hw_crypto_sha256(const unsigned char *content, size_t count, unsigned char *digest) {
    unsigned size = 32;
    return crypto.EVP_Digest(content, count, digest, &size, crypto.EVP_sha256(), NULL) == 1 && size == 32;
}

bool hw_crypto_hmac(
    const unsigned char *key, size_t key_count, const unsigned char *content, size_t count, unsigned char *code) {
    unsigned size = 32;
    if (key_count > INT_MAX) return false;
    return crypto.HMAC(crypto.EVP_sha256(), key, (int)key_count, content, count, code, &size) && size == 32;
}

bool hw_crypto_is_prime(const unsigned char *number, size_t count) {
    if (count > INT_MAX) return false;
    Number *read = crypto.BN_bin2bn(number, (int)count, NULL);
    if (!read) return false;
    // 0 rounds are as many as its length needs.
    bool isPrime = crypto.BN_is_prime_ex(read, 0, NULL, NULL) == 1;
    crypto.BN_free(read);
    crypto.ERR_clear_error();
    return isPrime;
}
