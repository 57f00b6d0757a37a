#ifndef ISOTICK_CORE_DETAIL_XXH3_H
#define ISOTICK_CORE_DETAIL_XXH3_H
/* XXH3 with 64 bits in C99, for visitor.h, which has nothing to link. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* XXH3-64, streamed, without a seed. Source: xxHash, doc/xxhash_spec.md. */
static const uint8_t isotick_xxh3_secret_[192] = {
    184, 254, 108, 57,  35,  164, 75,  190, 124, 1,   129, 44,  247, 33,  173, 28,  222, 212,
    109, 233, 131, 144, 151, 219, 114, 64,  164, 164, 183, 179, 103, 31,  203, 121, 230, 78,
    204, 192, 229, 120, 130, 90,  208, 125, 204, 255, 114, 33,  184, 8,   70,  116, 247, 67,
    36,  142, 224, 53,  144, 230, 129, 58,  38,  76,  60,  40,  82,  187, 145, 195, 0,   203,
    136, 208, 101, 139, 27,  83,  46,  163, 113, 100, 72,  151, 162, 13,  249, 78,  56,  25,
    239, 70,  169, 222, 172, 216, 168, 250, 118, 63,  227, 156, 52,  63,  249, 220, 187, 199,
    199, 11,  79,  29,  138, 81,  224, 75,  205, 180, 89,  49,  200, 159, 126, 201, 217, 120,
    115, 100, 234, 197, 172, 131, 52,  211, 235, 195, 197, 129, 160, 255, 250, 19,  99,  235,
    23,  13,  221, 81,  183, 240, 218, 73,  211, 22,  85,  38,  41,  212, 104, 158, 43,  22,
    190, 88,  125, 71,  161, 252, 143, 248, 184, 209, 122, 208, 49,  206, 69,  203, 58,  143,
    149, 22,  4,   40,  175, 215, 251, 202, 187, 75,  64,  126};

static inline bool isotick_is_little_endian_(void) {
    const uint16_t one = 1;
    return *(const uint8_t*)&one == 1;
}

static inline uint64_t isotick_word_(const uint8_t* bytes, int size) {
    uint64_t value = 0;
    if (size == 8 && isotick_is_little_endian_()) {
        memcpy(&value, bytes, 8);
        return value;
    }
    for (int i = size; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static inline uint64_t isotick_xxh3_secret_word_(uint32_t at) {
    return isotick_word_(isotick_xxh3_secret_ + at, 8);
}

/* The halves of the 128-bit product, one xor the other. */
static inline uint64_t isotick_xxh3_fold_(uint64_t a, uint64_t b) {
    const uint64_t low = 0xffffffffu;
    const uint64_t ll = (a & low) * (b & low), hl = (a >> 32) * (b & low);
    const uint64_t lh = (a & low) * (b >> 32), hh = (a >> 32) * (b >> 32);
    const uint64_t middle = (ll >> 32) + (hl & low) + lh;
    return ((hl >> 32) + (middle >> 32) + hh) ^ (middle << 32 | (ll & low));
}

static inline uint64_t isotick_xxh3_avalanche_(uint64_t hash) {
    hash = (hash ^ hash >> 37) * UINT64_C(0x165667919e3779f9);
    return hash ^ hash >> 32;
}

static inline uint64_t isotick_xxh64_avalanche_(uint64_t hash) {
    hash = (hash ^ hash >> 33) * UINT64_C(0xc2b2ae3d27d4eb4f);
    hash = (hash ^ hash >> 29) * UINT64_C(0x165667b19e3779f9);
    return hash ^ hash >> 32;
}

static inline uint64_t isotick_xxh3_mix_(const uint8_t* in, uint32_t secret) {
    return isotick_xxh3_fold_(isotick_word_(in, 8) ^ isotick_xxh3_secret_word_(secret),
                              isotick_word_(in + 8, 8) ^ isotick_xxh3_secret_word_(secret + 8));
}

static inline uint64_t isotick_xxh3_to_16_(const uint8_t* in, uint32_t size) {
    if (size > 8) {
        const uint64_t low =
            isotick_word_(in, 8) ^ isotick_xxh3_secret_word_(24) ^ isotick_xxh3_secret_word_(32);
        const uint64_t high = isotick_word_(in + size - 8, 8) ^ isotick_xxh3_secret_word_(40) ^
                              isotick_xxh3_secret_word_(48);
        uint64_t swapped = 0;
        for (int i = 0; i < 64; i += 8) {
            swapped = swapped << 8 | (low >> i & 0xff);
        }
        return isotick_xxh3_avalanche_(size + swapped + high + isotick_xxh3_fold_(low, high));
    }
    if (size > 3) {
        uint64_t hash = isotick_word_(in + size - 4, 4) + (isotick_word_(in, 4) << 32);
        hash ^= isotick_xxh3_secret_word_(8) ^ isotick_xxh3_secret_word_(16);
        hash ^= (hash << 49 | hash >> 15) ^ (hash << 24 | hash >> 40);
        hash *= UINT64_C(0x9fb21c651e98df25);
        hash = (hash ^ ((hash >> 35) + size)) * UINT64_C(0x9fb21c651e98df25);
        return hash ^ hash >> 28;
    }
    if (size > 0) {
        const uint64_t all = (uint64_t)in[0] << 16 | (uint64_t)in[size >> 1] << 24 | in[size - 1];
        return isotick_xxh64_avalanche_((all | size << 8) ^ isotick_word_(isotick_xxh3_secret_, 4) ^
                                        isotick_word_(isotick_xxh3_secret_ + 4, 4));
    }
    return isotick_xxh64_avalanche_(isotick_xxh3_secret_word_(56) ^ isotick_xxh3_secret_word_(64));
}

static inline uint64_t isotick_xxh3_to_240_(const uint8_t* in, uint32_t size) {
    uint64_t hash = size * UINT64_C(0x9e3779b185ebca87), end;
    if (size <= 128) {
        for (uint32_t i = 0; i <= (size - 1) / 32; ++i) {
            hash += isotick_xxh3_mix_(in + 16 * i, 32 * i);
            hash += isotick_xxh3_mix_(in + size - 16 * (i + 1), 32 * i + 16);
        }
        return isotick_xxh3_avalanche_(hash);
    }
    for (uint32_t i = 0; i < 8; ++i) {
        hash += isotick_xxh3_mix_(in + 16 * i, 16 * i);
    }
    hash = isotick_xxh3_avalanche_(hash);
    end = isotick_xxh3_mix_(in + size - 16, 136 - 17);
    for (uint32_t i = 8; i < size / 16; ++i) {
        end += isotick_xxh3_mix_(in + 16 * i, 16 * (i - 8) + 3);
    }
    return isotick_xxh3_avalanche_(hash + end);
}

/* `count` stripes of 64 bytes each; the secret moves on by 8 bytes with each. */
static inline void isotick_xxh3_lanes_(uint64_t* lanes, const uint8_t* in, const uint8_t* secret,
                                       uint64_t count) {
#ifdef __SSE2__
    __m128i sums[4];
    memcpy(sums, lanes, sizeof sums);
    for (; count != 0; --count, in += 64, secret += 8) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const __m128i words = _mm_loadu_si128((const __m128i*)(const void*)(in + 16 * i));
            const __m128i keys = _mm_xor_si128(
                words, _mm_loadu_si128((const __m128i*)(const void*)(secret + 16 * i)));
            sums[i] = _mm_add_epi64(sums[i], _mm_shuffle_epi32(words, _MM_SHUFFLE(1, 0, 3, 2)));
            sums[i] = _mm_add_epi64(
                sums[i], _mm_mul_epu32(keys, _mm_shuffle_epi32(keys, _MM_SHUFFLE(0, 3, 0, 1))));
        }
    }
    memcpy(lanes, sums, sizeof sums);
#else
    for (; count != 0; --count, in += 64, secret += 8) {
        for (uint32_t i = 0; i < 8; ++i) {
            const uint64_t word = isotick_word_(in + 8 * i, 8);
            const uint64_t key = word ^ isotick_word_(secret + 8 * i, 8);
            lanes[i ^ 1] += word;
            lanes[i] += (key & 0xffffffffu) * (key >> 32);
        }
    }
#endif
}

#ifdef __cplusplus
}
#endif
#endif
