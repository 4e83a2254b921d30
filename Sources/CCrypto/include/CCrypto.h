// The part of OpenSSL's libcrypto that the server uses, loaded when it is first needed. A server without JSON Web Tokens
// never loads it, and building one needs no OpenSSL package. The functions are in libcrypto since version 1.1.1.
#ifndef HEADWATER_CCRYPTO_H
#define HEADWATER_CCRYPTO_H

#include <stdbool.h>
#include <stddef.h>

typedef struct HWCryptoKey HWCryptoKey;

// Loads libcrypto. Returns nil on success or if it is loaded, otherwise the reason. Call it from one thread only.
const char *_Nullable hw_crypto_load(void);

// Reads a public key from the DER form of its SubjectPublicKeyInfo (RFC 5280); nil if it is not a valid key.
HWCryptoKey *_Nullable hw_crypto_key(const unsigned char *_Nonnull info, size_t count);
void hw_crypto_key_end(HWCryptoKey *_Nonnull key);

// Returns true if the signature of the content is the key's. With `hashes` the signature is of the content's SHA-256. Any
// thread may call it.
bool hw_crypto_verifies(
    HWCryptoKey *_Nonnull key, bool hashes, const unsigned char *_Nonnull signature, size_t signature_count,
    const unsigned char *_Nonnull content, size_t count);

// Writes the SHA-256 of the content, 32 bytes. Returns false if libcrypto cannot.
bool hw_crypto_sha256(const unsigned char *_Nonnull content, size_t count, unsigned char *_Nonnull digest);

// Writes the HMAC-SHA-256 of the content under a key, 32 bytes. Returns false if libcrypto cannot.
bool hw_crypto_hmac(
    const unsigned char *_Nonnull key, size_t key_count, const unsigned char *_Nonnull content, size_t count,
    unsigned char *_Nonnull code);

// Returns true if a number, its greatest byte first, is prime but for a chance of 2^-80.
bool hw_crypto_is_prime(const unsigned char *_Nonnull number, size_t count);

#endif
