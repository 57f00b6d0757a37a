#ifndef ISOTICK_CORE_VISITOR_H
#define ISOTICK_CORE_VISITOR_H
/*
 * Describe a state once: a plug-in in C then has its part hashes, snapshots, fields, and where its
 * values are in memory. C99 and C++; nothing to link. A plug-in writes one function,
 *
 *     static void visit(isotick_visitor* v, isotick_simulation* game) {
 *         isotick_i32(v, "score", &game->score);
 *         isotick_f32_array(v, "heights", game->heights, COLUMNS);
 *         game->unit_count = isotick_begin_list(v, "units", game->unit_count, MOST_UNITS);
 *         for (uint32_t i = 0; i < game->unit_count; ++i) {
 *             isotick_begin_object(v, NULL);
 *             isotick_f32(v, "x", &game->units[i].x);
 *             isotick_bool(v, "alive", &game->units[i].alive);
 *             isotick_end(v);
 *         }
 *         isotick_end(v);
 *     }
 *
 * then `ISOTICK_VISITED(info, visit)`, `info` being its isotick_info, which defines
 * isotick_visited_hash, isotick_visited_save, isotick_visited_load, isotick_visited_fields and
 * isotick_visited_memory for its table. If the table has the last one, and the info
 * ISOTICK_HAS_MEMORY, reports name the function that wrote a value.
 *
 *  - Every value at the top is a part, named so, and its hash is what core/README.md says of the
 *    same value in C++ (algorithm isotick-xxh3-1, so leave info.hash_algorithm null). The same
 *    state described in C and by a C++ `serialize` has the same hashes and the same fields.
 *  - While loading, the calls write to what they point to; otherwise they only read. What has
 *    another type goes through a variable: `int32_t mode = game->mode; isotick_i32(v, "mode",
 *    &mode); game->mode = (enum mode)mode;`.
 *  - Names are UTF-8, not empty, at most 1,000 bytes; a part's lives until destroy. Values at the
 *    top need names, elements of arrays and lists have none: theirs is not looked at.
 *  - After a failure (damaged bytes, no more room) the calls do nothing and lists are empty.
 *  - A visitor belongs to one thread at a time. It takes 408 bytes, and allocates nothing.
 */
#include "detail/xxh3.h"
#include "plugin.h" /* beside this file, as detail/ is, wherever they are copied to */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ISOTICK_DEEPEST_VISIT 64u /* objects, arrays and lists within each other */

/* What a visit is for. Its members are its own. */
typedef struct isotick_visitor {
    int32_t purpose;
    int32_t status;
    isotick_message* message;
    uint32_t depth;
    uint32_t in_buffer;
    uint64_t objects;    /* which of the levels are objects: bit k for depth k + 1 */
    isotick_part* parts; /* hashing */
    uint32_t capacity;
    uint32_t part_count;
    int32_t one_nan;
    uint32_t stripes;
    uint64_t part_size;
    uint64_t lanes[8];
    const isotick_sink* sink; /* saving and showing fields */
    const isotick_memory_visitor* memory;
    const uint8_t* data; /* loading */
    uint64_t left;
    uint8_t buffer[256];
} isotick_visitor;

/* --------------------------------------------------- beginning and ending a visit by hand -- */

/* Each pair around one call of the visiting function; what plug-ins get from ISOTICK_VISITED, and a
 * game that records itself (replay/isotick.h) calls. `message` may be null; everything passed in
 * must live until the end. Ends return ISOTICK_OK or ISOTICK_FAILED, with a reason in `message`. */

/* `nan_policy` as in isotick_info. *count is how many of the `capacity` parts were written. */
static inline void isotick_begin_hash(isotick_visitor* v, isotick_part* parts, uint32_t capacity,
                                      const char* nan_policy, isotick_message* message);
static inline int32_t isotick_end_hash(isotick_visitor* v, uint32_t* count);

/* A snapshot: the canonical bytes of all values, without names or types. */
static inline void isotick_begin_save(isotick_visitor* v, const isotick_sink* sink,
                                      isotick_message* message);
static inline int32_t isotick_end_save(isotick_visitor* v);

/* Trusts nothing: bytes that end early or too late, a bool that is none, and lists and texts that
 * are longer than their room are refused. The state is then half loaded. */
static inline void isotick_begin_load(isotick_visitor* v, const uint8_t* data, uint64_t size,
                                      isotick_message* message);
static inline int32_t isotick_end_load(isotick_visitor* v);

/* A field stream (core/FIELDS.md). */
static inline void isotick_begin_fields(isotick_visitor* v, const isotick_sink* sink,
                                        isotick_message* message);
static inline int32_t isotick_end_fields(isotick_visitor* v);

/* Reports the address of each value to the host's `visitor`: see visit_memory in plugin.h. For a
 * value that goes through a variable, it is that of the variable, which the host ignores. Values
 * whose paths are longer than 255 bytes are not reported. */
static inline void isotick_begin_memory(isotick_visitor* v, const isotick_memory_visitor* visitor,
                                        isotick_message* message);
static inline int32_t isotick_end_memory(isotick_visitor* v);

/* Whether this visit loads: to make room for a list, or to compute anew what is no state. */
static inline bool isotick_is_loading(const isotick_visitor* v);

/* The visit fails; `why` is for people. For what only the state's owner knows to be damaged. */
static inline void isotick_fail_visit(isotick_visitor* v, const char* why);

/* ------------------------------------------------------------------------------- values -- */

/* A number: isotick_u8 … isotick_i64, isotick_f32, isotick_f64, isotick_bool. `count` of them in a
 * row: isotick_u8_array … where there are always as many; isotick_u8_list … where that is state, as
 * with isotick_begin_list. */
#define ISOTICK_VISITS(suffix, type, token)                                                       \
    static inline void isotick_##suffix(isotick_visitor* v, const char* name, type* value) {      \
        isotick_visit_number_(v, name, token, value);                                             \
    }                                                                                             \
    static inline void isotick_##suffix##_array(isotick_visitor* v, const char* name,             \
                                                type* values, uint64_t count) {                   \
        isotick_visit_array_(v, name, token, values, count);                                      \
    }                                                                                             \
    static inline uint32_t isotick_##suffix##_list(isotick_visitor* v, const char* name,          \
                                                   type* values, uint32_t count, uint32_t most) { \
        return isotick_visit_list_(v, name, token, values, count, most);                          \
    }
static inline void isotick_visit_number_(isotick_visitor* v, const char* name, uint8_t token,
                                         void* value);
static inline void isotick_visit_array_(isotick_visitor* v, const char* name, uint8_t token,
                                        void* values, uint64_t count);
static inline uint32_t isotick_visit_list_(isotick_visitor* v, const char* name, uint8_t token,
                                           void* values, uint32_t count, uint32_t most);
ISOTICK_VISITS(u8, uint8_t, 0x20)
ISOTICK_VISITS(u16, uint16_t, 0x21)
ISOTICK_VISITS(u32, uint32_t, 0x22)
ISOTICK_VISITS(u64, uint64_t, 0x23)
ISOTICK_VISITS(i8, int8_t, 0x24)
ISOTICK_VISITS(i16, int16_t, 0x25)
ISOTICK_VISITS(i32, int32_t, 0x26)
ISOTICK_VISITS(i64, int64_t, 0x27)
ISOTICK_VISITS(f32, float, 0x28)
ISOTICK_VISITS(f64, double, 0x29)
ISOTICK_VISITS(bool, bool, 0x2a)
#undef ISOTICK_VISITS
#define ISOTICK_TOKEN_u8_ 0x20
#define ISOTICK_TOKEN_u16_ 0x21
#define ISOTICK_TOKEN_u32_ 0x22
#define ISOTICK_TOKEN_u64_ 0x23
#define ISOTICK_TOKEN_i8_ 0x24
#define ISOTICK_TOKEN_i16_ 0x25
#define ISOTICK_TOKEN_i32_ 0x26
#define ISOTICK_TOKEN_i64_ 0x27
#define ISOTICK_TOKEN_f32_ 0x28
#define ISOTICK_TOKEN_f64_ 0x29
#define ISOTICK_TOKEN_bool_ 0x2a

/* A fixed-point number: *value / 2^fraction_bits, `fraction_bits` being 1 to 32 or 64. It is hashed
 * and saved as the integer, and shown as `1.5`. */
static inline void isotick_fixed32(isotick_visitor* v, const char* name, int32_t* value,
                                   uint32_t fraction_bits);
static inline void isotick_fixed64(isotick_visitor* v, const char* name, int64_t* value,
                                   uint32_t fraction_bits);

/* A struct, an array of `count` elements that are not plain numbers, or of lists: what comes up to
 * isotick_end is in it. */
static inline void isotick_begin_object(isotick_visitor* v, const char* name);
static inline void isotick_begin_array(isotick_visitor* v, const char* name, uint64_t count);
/* A container whose size is state: `count` elements of at most `most`, visited one by one up to
 * isotick_end. Returns how many there are, which is another number while loading: never more than
 * bytes are left, so room can be made for them. */
static inline uint32_t isotick_begin_list(isotick_visitor* v, const char* name, uint32_t count,
                                          uint32_t most);
static inline void isotick_end(isotick_visitor* v);

/* Arrays of plain structs whose layout is stated once. Their hashes, snapshots and fields are what
 * a call for each number gives, but hashing them is many times faster; where the structs have no
 * padding, it is about as fast as XXH3 with SSE2 over the same memory.
 *
 *     static const isotick_member kUnit[] = {ISOTICK_MEMBER(struct unit, x, f32),
 *                                            ISOTICK_MEMBERS(struct unit, orders, u16),
 *                                            ISOTICK_MEMBER(struct unit, alive, bool)};
 *     isotick_structs(v, "units", game->units, 64, sizeof *game->units, kUnit, 3);
 *
 * The order is that of the list, and what is not in it is no state. The type that is named must be
 * the member's own: nothing checks it. */
typedef struct isotick_member {
    const char* name;
    size_t offset;
    size_t array_bytes; /* of an array of numbers; 0: it is a single one */
    uint8_t token;
} isotick_member;

#define ISOTICK_MEMBER(type, member, suffix) \
    ISOTICK_MEMBER_(#member, offsetof(type, member), 0, ISOTICK_TOKEN_##suffix##_)
/* An array of numbers in the struct. */
#define ISOTICK_MEMBERS(type, member, suffix)                                               \
    ISOTICK_MEMBER_(#member, offsetof(type, member), ISOTICK_SIZE_OF_MEMBER_(type, member), \
                    ISOTICK_TOKEN_##suffix##_)
#define ISOTICK_MEMBER_(name, offset, array_bytes, token) \
    { name, offset, array_bytes, token }
#ifdef __cplusplus
#define ISOTICK_SIZE_OF_MEMBER_(type, member) sizeof(type::member)
#else
#define ISOTICK_SIZE_OF_MEMBER_(type, member) sizeof(((type*)0)->member)
#endif

/* `count` structs, `size` bytes each, of `member_count` members. */
static inline void isotick_structs(isotick_visitor* v, const char* name, void* structs,
                                   uint64_t count, uint64_t size, const isotick_member* members,
                                   uint32_t member_count);
/* Where the count is state, as with isotick_begin_list. */
static inline uint32_t isotick_struct_list(isotick_visitor* v, const char* name, void* structs,
                                           uint32_t count, uint32_t most, uint64_t size,
                                           const isotick_member* members, uint32_t member_count);

/* UTF-8 up to its NUL, in an array of `capacity` bytes. What is behind the NUL is no state. */
static inline void isotick_text(isotick_visitor* v, const char* name, char* text,
                                uint32_t capacity);

/* Defines the calls for the table of a plug-in: see above. */
#define ISOTICK_VISITED(info, visit)                                                              \
    static int32_t isotick_visited_hash(isotick_simulation* simulation, isotick_part* parts,      \
                                        uint32_t capacity, uint32_t* count,                       \
                                        isotick_message* message) {                               \
        isotick_visitor v;                                                                        \
        isotick_begin_hash(&v, parts, capacity, (info).nan_policy, message);                      \
        visit(&v, simulation);                                                                    \
        return isotick_end_hash(&v, count);                                                       \
    }                                                                                             \
    static int32_t isotick_visited_save(isotick_simulation* simulation, const isotick_sink* sink, \
                                        isotick_message* message) {                               \
        isotick_visitor v;                                                                        \
        isotick_begin_save(&v, sink, message);                                                    \
        visit(&v, simulation);                                                                    \
        return isotick_end_save(&v);                                                              \
    }                                                                                             \
    static int32_t isotick_visited_load(isotick_simulation* simulation, const uint8_t* data,      \
                                        uint64_t size, isotick_message* message) {                \
        isotick_visitor v;                                                                        \
        isotick_begin_load(&v, data, size, message);                                              \
        visit(&v, simulation);                                                                    \
        return isotick_end_load(&v);                                                              \
    }                                                                                             \
    static int32_t isotick_visited_fields(isotick_simulation* simulation,                         \
                                          const isotick_sink* sink, isotick_message* message) {   \
        isotick_visitor v;                                                                        \
        isotick_begin_fields(&v, sink, message);                                                  \
        visit(&v, simulation);                                                                    \
        return isotick_end_fields(&v);                                                            \
    }                                                                                             \
    static inline int32_t isotick_visited_memory(isotick_simulation* simulation,                  \
                                                 const isotick_memory_visitor* visitor,           \
                                                 isotick_message* message) {                      \
        isotick_visitor v;                                                                        \
        isotick_begin_memory(&v, visitor, message);                                               \
        visit(&v, simulation);                                                                    \
        return isotick_end_memory(&v);                                                            \
    }                                                                                             \
    struct isotick_visited_ends_with_a_semicolon

/* ------------------------------------------------------------- how it works: not for users -- */

enum { isotick_hashing_, isotick_saving_, isotick_loading_, isotick_showing_, isotick_locating_ };
typedef char isotick_bool_is_one_byte_[sizeof(bool) == 1 ? 1 : -1];

static inline void isotick_begin_(isotick_visitor* v, int32_t purpose, isotick_message* message) {
    memset(v, 0, sizeof *v);
    v->purpose = purpose;
    v->message = message;
}

static inline bool isotick_is_loading(const isotick_visitor* v) {
    return v->purpose == isotick_loading_;
}

static inline void isotick_fail_visit(isotick_visitor* v, const char* why) {
    if (v->status == ISOTICK_OK && v->message != NULL && v->message->capacity != 0) {
        const size_t size = strlen(why);
        const size_t room = (size_t)v->message->capacity - 1;
        const size_t shown = size < room ? size : room;
        memcpy(v->message->text, why, shown);
        v->message->text[shown] = '\0';
    }
    v->status = ISOTICK_FAILED;
}

/* `count` stripes, behind which there is more: 16 make a block, after which the lanes are mixed. */
static inline void isotick_xxh3_stripes_(isotick_visitor* v, const uint8_t* in, uint64_t count) {
    while (count != 0) {
        const uint64_t left = 16 - v->stripes;
        const uint64_t now = count < left ? count : left;
        isotick_xxh3_lanes_(v->lanes, in, isotick_xxh3_secret_ + 8 * v->stripes, now);
        v->stripes = (uint32_t)(v->stripes + now) % 16;
        in += 64 * now;
        count -= now;
        for (uint32_t lane = 0; v->stripes == 0 && lane < 8; ++lane) {
            const uint64_t old = v->lanes[lane];
            v->lanes[lane] = (old ^ old >> 47 ^ isotick_xxh3_secret_word_(128 + 8 * lane)) *
                             UINT64_C(0x9e3779b1);
        }
    }
}

static inline void isotick_xxh3_begin_(isotick_visitor* v) {
    static const uint64_t kLanes[8] = {UINT64_C(0xc2b2ae3d),         UINT64_C(0x9e3779b185ebca87),
                                       UINT64_C(0xc2b2ae3d27d4eb4f), UINT64_C(0x165667b19e3779f9),
                                       UINT64_C(0x85ebca77c2b2ae63), UINT64_C(0x85ebca77),
                                       UINT64_C(0x27d4eb2f165667c5), UINT64_C(0x9e3779b1)};
    memcpy(v->lanes, kLanes, sizeof kLanes);
    v->stripes = 0;
    v->in_buffer = 0;
    v->part_size = 0;
}

static inline uint64_t isotick_xxh3_end_(isotick_visitor* v) {
    const uint32_t size = v->in_buffer;
    uint64_t hash = v->part_size * UINT64_C(0x9e3779b185ebca87);
    uint8_t last[64];
    if (v->part_size <= 240) {
        return size <= 16 ? isotick_xxh3_to_16_(v->buffer, size)
                          : isotick_xxh3_to_240_(v->buffer, size);
    }
    if (size >= 64) {
        memcpy(last, v->buffer + size - 64, 64);
        isotick_xxh3_stripes_(v, v->buffer, (size - 1) / 64);
    } else { /* its beginning is still there from before */
        memcpy(last, v->buffer + 256 - (64 - size), 64 - size);
        memcpy(last + 64 - size, v->buffer, size);
    }
    isotick_xxh3_lanes_(v->lanes, last, isotick_xxh3_secret_ + 192 - 64 - 7, 1);
    for (uint32_t i = 0; i < 8; i += 2) {
        hash += isotick_xxh3_fold_(v->lanes[i] ^ isotick_xxh3_secret_word_(11 + 8 * i),
                                   v->lanes[i + 1] ^ isotick_xxh3_secret_word_(19 + 8 * i));
    }
    return isotick_xxh3_avalanche_(hash);
}

/* While values are located, `buffer` has the path of the value, `in_buffer` its length, and byte k
 * of `lanes` how long the path of level k is. A path that is too long has the length UINT32_MAX. */
static inline void isotick_add_to_path_(isotick_visitor* v, const char* text) {
    const size_t size = strlen(text);
    if (v->in_buffer + (uint64_t)size >= sizeof v->buffer) {
        v->in_buffer = UINT32_MAX;
    } else {
        memcpy(v->buffer + v->in_buffer, text, size);
        v->in_buffer += (uint32_t)size;
    }
}

static inline void isotick_enter_path_(isotick_visitor* v, const char* name) {
    const uint8_t length = v->depth == 0 ? 0 : ((const uint8_t*)v->lanes)[v->depth - 1];
    v->in_buffer = length == UINT8_MAX ? UINT32_MAX : length;
    if (name != NULL) {
        if (length != 0) {
            isotick_add_to_path_(v, ".");
        }
        isotick_add_to_path_(v, name);
    }
}

static inline void isotick_locate_(isotick_visitor* v, void* memory, uint64_t size) {
    if (size == 0 || v->in_buffer == UINT32_MAX || v->status != ISOTICK_OK) {
        return;
    }
    v->buffer[v->in_buffer] = '\0';
    v->status = v->memory->value(v->memory->context, (const char*)v->buffer, memory, size,
                                 ISOTICK_MEMORY_OUTSIDE);
}

/* Bytes: out to the hash or the sink, or in. */
static inline void isotick_flush_(isotick_visitor* v) {
    if (v->purpose == isotick_hashing_) {
        isotick_xxh3_stripes_(v, v->buffer, sizeof v->buffer / 64);
    } else if (v->status == ISOTICK_OK && v->in_buffer != 0 &&
               v->sink->write(v->sink->context, v->buffer, v->in_buffer) != ISOTICK_OK) {
        v->status = ISOTICK_FAILED; /* the sink knows why */
    }
    v->in_buffer = 0;
}

static inline void isotick_put_(isotick_visitor* v, const void* data, uint64_t size) {
    const uint8_t* bytes = (const uint8_t*)data;
    v->part_size += size;
    while (size != 0) {
        uint32_t now;
        if (v->in_buffer == sizeof v->buffer) {
            isotick_flush_(v);
        }
        if (v->in_buffer == 0 && size > 4 * sizeof v->buffer && v->purpose == isotick_hashing_) {
            const uint64_t stripes = (size - 1) / 256 * 4; /* of whole buffers, and more behind */
            isotick_xxh3_stripes_(v, bytes, stripes);
            bytes += 64 * stripes;
            size -= 64 * stripes;
            memcpy(v->buffer + sizeof v->buffer - 64, bytes - 64, 64); /* the end may need it */
        }
        now = (uint32_t)sizeof v->buffer - v->in_buffer;
        now = size < now ? (uint32_t)size : now;
        memcpy(v->buffer + v->in_buffer, bytes, now);
        v->in_buffer += now;
        bytes += now;
        size -= now;
    }
}

static inline void isotick_put_byte_(isotick_visitor* v, uint32_t byte) {
    const uint8_t put = (uint8_t)byte;
    isotick_put_(v, &put, 1);
}

/* `size` 0: a varint. */
static inline void isotick_put_count_(isotick_visitor* v, uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
        isotick_put_byte_(v, (uint32_t)(value >> 8 * i & 0xff));
    }
    for (; size == 0 && value >= 0x80; value >>= 7) {
        isotick_put_byte_(v, (uint32_t)(value & 0x7f) | 0x80u);
    }
    if (size == 0) {
        isotick_put_byte_(v, (uint32_t)value);
    }
}

/* The next bytes of the snapshot; null where there are not so many. */
static inline const uint8_t* isotick_take_(isotick_visitor* v, uint64_t size) {
    const uint8_t* taken = v->data;
    if (size > v->left) {
        isotick_fail_visit(v, "the snapshot ends early");
        return NULL;
    }
    v->data += size;
    v->left -= size;
    return taken;
}

static inline uint32_t isotick_number_size_(uint8_t token) {
    static const uint8_t kSizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1};
    return kSizes[token - 0x20];
}

/* Makes memory canonical bytes, or the other way. */
static inline void isotick_turn_(uint8_t* out, const uint8_t* in, uint32_t size) {
    for (uint32_t i = 0; i < size; ++i) {
        out[i] = in[isotick_is_little_endian_() ? i : size - 1 - i];
    }
}

/* A number as it is hashed under the NaN policy `one`, and on machines that are not little-endian.
 */
static inline void isotick_put_number_(isotick_visitor* v, uint8_t token, const uint8_t* number) {
    const uint32_t size = isotick_number_size_(token);
    const uint64_t infinity = size == 4 ? 0x7f800000u : UINT64_C(0x7ff0000000000000);
    const uint64_t quiet = size == 4 ? 0x7fc00000u : UINT64_C(0x7ff8000000000000);
    uint8_t bytes[8];
    uint64_t value;
    isotick_turn_(bytes, number, size);
    value = isotick_word_(bytes, (int)size);
    if (v->one_nan && (token == 0x28 || token == 0x29) &&
        (value & ((UINT64_C(1) << (8 * size - 1)) - 1)) > infinity) {
        value = quiet;
    }
    isotick_put_count_(v, value, (int)size);
}

static inline void isotick_load_numbers_(isotick_visitor* v, uint8_t token, uint8_t* memory,
                                         uint64_t count) {
    const uint32_t size = isotick_number_size_(token);
    const uint64_t all = count > v->left / size ? UINT64_MAX : count * size;
    const uint8_t* const bytes = isotick_take_(v, all);
    for (uint64_t i = 0; bytes != NULL && i < count; ++i) {
        if (token == 0x2a && bytes[i] > 1) {
            isotick_fail_visit(v, "a bool is neither 0 nor 1");
            return;
        }
        isotick_turn_(memory + i * size, bytes + i * size, size);
    }
}

static inline void isotick_numbers_(isotick_visitor* v, uint8_t token, void* values,
                                    uint64_t count) {
    const uint32_t size = isotick_number_size_(token);
    uint8_t* const memory = (uint8_t*)values;
    if (v->purpose == isotick_loading_) {
        isotick_load_numbers_(v, token, memory, count);
    } else if (v->purpose == isotick_locating_) {
        isotick_locate_(v, memory, count * size);
    } else if (isotick_is_little_endian_() && !v->one_nan) {
        isotick_put_(v, memory, count * size);
    } else {
        for (uint64_t i = 0; i < count; ++i) {
            isotick_put_number_(v, token, memory + i * size);
        }
    }
}

/* Before every value, with its name: false where it is not to be visited. */
static inline bool isotick_enter_(isotick_visitor* v, const char* name) {
    const bool in_object = v->depth == 0 || (v->objects >> (v->depth - 1) & 1) != 0;
    if (v->status != ISOTICK_OK) {
        return false;
    }
    if (v->depth == 0 && name == NULL) {
        isotick_fail_visit(v, "a value at the top of the state has no name");
    } else if (v->depth == 0 && v->purpose == isotick_hashing_) {
        if (v->part_count == v->capacity) {
            isotick_fail_visit(v, "the state has more parts than there is room for");
            return false;
        }
        v->parts[v->part_count].name = name;
        isotick_xxh3_begin_(v);
    } else if (v->purpose == isotick_showing_ && in_object && name != NULL) {
        isotick_put_byte_(v, 0x03);
        isotick_put_count_(v, strlen(name), 0);
        isotick_put_(v, name, strlen(name));
    } else if (v->purpose == isotick_locating_) {
        isotick_enter_path_(v, in_object ? name : NULL);
    }
    return v->status == ISOTICK_OK;
}

/* After every value. */
static inline void isotick_leave_(isotick_visitor* v) {
    if (v->depth == 0 && v->purpose == isotick_hashing_ && v->status == ISOTICK_OK) {
        v->parts[v->part_count++].hash = isotick_xxh3_end_(v);
    }
}

static inline bool isotick_descend_(isotick_visitor* v, const char* name, bool object) {
    if (!isotick_enter_(v, name)) {
        return false;
    }
    if (v->depth == ISOTICK_DEEPEST_VISIT) {
        isotick_fail_visit(v, "the state is nested more than 64 deep");
        return false;
    }
    v->objects &= ~(UINT64_C(1) << v->depth);
    v->objects |= (uint64_t)(object ? 1 : 0) << v->depth;
    if (v->purpose == isotick_locating_) {
        if (!object) {
            isotick_add_to_path_(v, "[*]");
        }
        ((uint8_t*)v->lanes)[v->depth] = (uint8_t)(v->in_buffer < 255 ? v->in_buffer : 255);
    }
    ++v->depth;
    return true;
}

/* How many elements a list or text has, which is state. 0 after a failure. */
static inline uint32_t isotick_length_(isotick_visitor* v, uint32_t count, uint32_t most) {
    uint64_t length = count;
    if (v->purpose == isotick_loading_) {
        const uint8_t* const bytes = isotick_take_(v, 8);
        length = bytes == NULL ? 0 : isotick_word_(bytes, 8);
    } else if (v->purpose != isotick_showing_ && v->purpose != isotick_locating_) {
        isotick_put_count_(v, length, 8);
    }
    if (length > most || (v->purpose == isotick_loading_ && length > v->left)) {
        isotick_fail_visit(v, "a list or text is longer than there is room or bytes for");
    }
    return v->status == ISOTICK_OK ? (uint32_t)length : 0;
}

static inline void isotick_visit_number_(isotick_visitor* v, const char* name, uint8_t token,
                                         void* value) {
    if (isotick_enter_(v, name)) {
        if (v->purpose == isotick_showing_) {
            isotick_put_byte_(v, token);
        }
        isotick_numbers_(v, token, value, 1);
        isotick_leave_(v);
    }
}

static inline void isotick_visit_fixed_(isotick_visitor* v, const char* name, uint8_t token,
                                        void* value, uint32_t fraction_bits) {
    if (fraction_bits == 0 || fraction_bits > 8 * isotick_number_size_(token)) {
        isotick_fail_visit(v, "a fixed-point number has no bits, or too many, after its point");
    } else if (isotick_enter_(v, name)) {
        if (v->purpose == isotick_showing_) {
            isotick_put_byte_(v, 0x1d);
            isotick_put_byte_(v, fraction_bits);
            isotick_put_byte_(v, token);
        }
        isotick_numbers_(v, token, value, 1);
        isotick_leave_(v);
    }
}

static inline void isotick_fixed32(isotick_visitor* v, const char* name, int32_t* value,
                                   uint32_t fraction_bits) {
    isotick_visit_fixed_(v, name, 0x26, value, fraction_bits);
}

static inline void isotick_fixed64(isotick_visitor* v, const char* name, int64_t* value,
                                   uint32_t fraction_bits) {
    isotick_visit_fixed_(v, name, 0x27, value, fraction_bits);
}

static inline void isotick_elements_(isotick_visitor* v, uint8_t token, void* values,
                                     uint64_t count) {
    if (v->purpose == isotick_showing_) {
        isotick_put_byte_(v, 0x1c);
        isotick_put_byte_(v, token);
        isotick_put_count_(v, count, 0);
    } else if (v->purpose == isotick_locating_) {
        isotick_add_to_path_(v, "[*]");
    }
    isotick_numbers_(v, token, values, count);
    isotick_leave_(v);
}

static inline void isotick_visit_array_(isotick_visitor* v, const char* name, uint8_t token,
                                        void* values, uint64_t count) {
    if (isotick_enter_(v, name)) {
        isotick_elements_(v, token, values, count);
    }
}

static inline uint32_t isotick_visit_list_(isotick_visitor* v, const char* name, uint8_t token,
                                           void* values, uint32_t count, uint32_t most) {
    if (!isotick_enter_(v, name)) {
        return 0;
    }
    count = isotick_length_(v, count, most);
    isotick_elements_(v, token, values, count);
    return v->status == ISOTICK_OK ? count : 0;
}

static inline void isotick_begin_object(isotick_visitor* v, const char* name) {
    if (isotick_descend_(v, name, true) && v->purpose == isotick_showing_) {
        isotick_put_byte_(v, 0x10);
    }
}

static inline void isotick_begin_array(isotick_visitor* v, const char* name, uint64_t count) {
    if (isotick_descend_(v, name, false) && v->purpose == isotick_showing_) {
        isotick_put_byte_(v, 0x12);
        isotick_put_count_(v, count, 0);
    }
}

static inline uint32_t isotick_begin_list(isotick_visitor* v, const char* name, uint32_t count,
                                          uint32_t most) {
    if (!isotick_descend_(v, name, false)) {
        return 0;
    }
    count = isotick_length_(v, count, most);
    if (v->purpose == isotick_showing_) {
        isotick_put_byte_(v, 0x12);
        isotick_put_count_(v, count, 0);
    }
    return count;
}

static inline void isotick_end(isotick_visitor* v) {
    if (v->status != ISOTICK_OK) {
        return;
    }
    if (v->depth == 0) {
        isotick_fail_visit(v, "there is one isotick_end too many");
        return;
    }
    --v->depth;
    if (v->purpose == isotick_showing_ && (v->objects >> v->depth & 1) != 0) {
        isotick_put_byte_(v, 0x11);
    }
    isotick_leave_(v);
}

static inline void isotick_text(isotick_visitor* v, const char* name, char* text,
                                uint32_t capacity) {
    const char* const nul = (const char*)memchr(text, 0, capacity);
    uint32_t size = nul == NULL ? 0 : (uint32_t)(nul - text);
    if (!isotick_enter_(v, name)) {
        return;
    }
    if (v->purpose != isotick_loading_ && nul == NULL) {
        isotick_fail_visit(v, "a text does not end within its array");
        return;
    }
    size = isotick_length_(v, size, capacity == 0 ? 0 : capacity - 1);
    if (v->purpose == isotick_loading_) {
        const uint8_t* const bytes = v->status == ISOTICK_OK ? isotick_take_(v, size) : NULL;
        if (bytes == NULL || memchr(bytes, 0, size) != NULL) {
            isotick_fail_visit(v, "a text has a NUL within");
            return;
        }
        memcpy(text, bytes, size);
        text[size] = '\0';
    } else if (v->purpose == isotick_locating_) {
        isotick_locate_(v, text, (uint64_t)size + 1);
    } else {
        if (v->purpose == isotick_showing_) {
            isotick_put_byte_(v, 0x19);
            isotick_put_count_(v, size, 0);
        }
        isotick_put_(v, text, size);
    }
    isotick_leave_(v);
}

static inline int32_t isotick_end_(isotick_visitor* v) {
    if (v->status == ISOTICK_OK && v->depth != 0) {
        isotick_fail_visit(v, "an isotick_end is missing");
    }
    return v->status;
}

static inline void isotick_begin_hash(isotick_visitor* v, isotick_part* parts, uint32_t capacity,
                                      const char* nan_policy, isotick_message* message) {
    isotick_begin_(v, isotick_hashing_, message);
    v->parts = parts;
    v->capacity = capacity;
    v->one_nan = nan_policy != NULL && strcmp(nan_policy, "one") == 0;
}

static inline int32_t isotick_end_hash(isotick_visitor* v, uint32_t* count) {
    *count = v->part_count;
    return isotick_end_(v);
}

static inline void isotick_begin_save(isotick_visitor* v, const isotick_sink* sink,
                                      isotick_message* message) {
    isotick_begin_(v, isotick_saving_, message);
    v->sink = sink;
}

static inline int32_t isotick_end_save(isotick_visitor* v) {
    isotick_flush_(v);
    return isotick_end_(v);
}

static inline void isotick_begin_load(isotick_visitor* v, const uint8_t* data, uint64_t size,
                                      isotick_message* message) {
    isotick_begin_(v, isotick_loading_, message);
    v->data = data != NULL ? data : v->buffer;
    v->left = size;
}

static inline int32_t isotick_end_load(isotick_visitor* v) {
    if (v->left != 0) {
        isotick_fail_visit(v, "the snapshot has extra bytes after the state");
    }
    return isotick_end_(v);
}

static inline void isotick_begin_fields(isotick_visitor* v, const isotick_sink* sink,
                                        isotick_message* message) {
    isotick_begin_(v, isotick_showing_, message);
    v->sink = sink;
    isotick_put_byte_(v, 0x01);
    isotick_put_byte_(v, 0x10);
}

static inline int32_t isotick_end_fields(isotick_visitor* v) {
    isotick_put_byte_(v, 0x11);
    isotick_put_byte_(v, 0x00);
    isotick_flush_(v);
    return isotick_end_(v);
}

static inline void isotick_begin_memory(isotick_visitor* v, const isotick_memory_visitor* visitor,
                                        isotick_message* message) {
    isotick_begin_(v, isotick_locating_, message);
    v->memory = visitor;
}

static inline int32_t isotick_end_memory(isotick_visitor* v) {
    return isotick_end_(v);
}

#ifdef __cplusplus
}
#endif

#include "detail/visited_structs.h"

#endif
