#ifndef ISOTICK_CORE_DETAIL_VISITED_STRUCTS_H
#define ISOTICK_CORE_DETAIL_VISITED_STRUCTS_H
/* Arrays of plain structs whose layout is stated once: how visitor.h hashes, saves, loads and shows
 * them. */

#include "../visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t isotick_member_count_(const isotick_member* member) {
    return member->array_bytes == 0 ? 1 : member->array_bytes / isotick_number_size_(member->token);
}

/* Members that lie behind one another in memory, without padding between them. */
typedef struct isotick_run_ {
    uint64_t offset;
    uint64_t size;
} isotick_run_;

enum { isotick_most_runs_ = 16, isotick_block_ = 2048 };

/* How many runs the members are, and their sizes together; 0 where they are too many or too long.
 */
static inline uint32_t isotick_runs_(const isotick_member* members, uint32_t member_count,
                                     isotick_run_* runs, uint64_t* all) {
    uint32_t count = 0;
    *all = 0;
    for (uint32_t i = 0; i < member_count; ++i) {
        const uint64_t size =
            (uint64_t)isotick_number_size_(members[i].token) * isotick_member_count_(&members[i]);
        if (count != 0 && members[i].offset == runs[count - 1].offset + runs[count - 1].size) {
            runs[count - 1].size += size;
        } else if (count == isotick_most_runs_) {
            return 0;
        } else {
            runs[count].offset = members[i].offset;
            runs[count++].size = size;
        }
        *all += size;
    }
    return *all > isotick_block_ ? 0 : count;
}

/* One struct's runs, one behind the other. What is copied beyond a run is overwritten by the next
 * one, or not used; nothing at or behind `end` is read. */
static inline uint8_t* isotick_pack_(uint8_t* out, const uint8_t* from, const uint8_t* end,
                                     const isotick_run_* runs, uint32_t run_count) {
    for (uint32_t i = 0; i < run_count; ++i) {
        const uint8_t* const run = from + runs[i].offset;
        const uint64_t size = runs[i].size;
        if ((uint64_t)(end - run) < size + 16) {
            memcpy(out, run, (size_t)size);
        } else {
            for (uint64_t at = 0; at < size; at += 16) {
                memcpy(out + at, run + at, 16);
            }
        }
        out += size;
    }
    return out;
}

/* Elements as bytes alone: hashed, saved or loaded. */
static inline void isotick_struct_bytes_(isotick_visitor* v, uint8_t* structs, uint64_t count,
                                         uint64_t size, const isotick_member* members,
                                         uint32_t member_count) {
    const uint8_t* const end = structs + count * size;
    isotick_run_ runs[isotick_most_runs_];
    uint64_t all = 0;
    const bool plain = v->purpose != isotick_loading_ && isotick_is_little_endian_() && !v->one_nan;
    const uint32_t run_count = plain ? isotick_runs_(members, member_count, runs, &all) : 0;
    if (run_count == 1 && all == size) {
        isotick_put_(v, structs, count * size);
    } else if (run_count != 0) {
        uint8_t block[isotick_block_ + 16];
        uint8_t* out = block;
        for (; structs != end; structs += size) {
            if ((uint64_t)(out - block) + all > isotick_block_) {
                isotick_put_(v, block, (uint64_t)(out - block));
                out = block;
            }
            out = isotick_pack_(out, structs, end, runs, run_count);
        }
        isotick_put_(v, block, (uint64_t)(out - block));
    } else {
        for (; structs != end && v->status == ISOTICK_OK; structs += size) {
            for (uint32_t k = 0; k < member_count; ++k) {
                isotick_numbers_(v, members[k].token, structs + members[k].offset,
                                 isotick_member_count_(&members[k]));
            }
        }
    }
}

/* Within their array or list. */
static inline void isotick_struct_elements_(isotick_visitor* v, uint8_t* structs, uint64_t count,
                                            uint64_t size, const isotick_member* members,
                                            uint32_t member_count) {
    if (v->status != ISOTICK_OK) {
        return;
    }
    if (v->depth == ISOTICK_DEEPEST_VISIT) {
        isotick_begin_object(v, NULL); /* which says so */
    } else if (v->purpose != isotick_showing_ && v->purpose != isotick_locating_) {
        isotick_struct_bytes_(v, structs, count, size, members, member_count);
    } else {
        for (uint64_t i = 0; i < count && v->status == ISOTICK_OK; ++i, structs += size) {
            isotick_begin_object(v, NULL);
            for (uint32_t k = 0; k < member_count; ++k) {
                if (members[k].array_bytes == 0) {
                    isotick_visit_number_(v, members[k].name, members[k].token,
                                          structs + members[k].offset);
                } else {
                    isotick_visit_array_(v, members[k].name, members[k].token,
                                         structs + members[k].offset,
                                         isotick_member_count_(&members[k]));
                }
            }
            isotick_end(v);
        }
    }
    isotick_end(v);
}

static inline void isotick_structs(isotick_visitor* v, const char* name, void* structs,
                                   uint64_t count, uint64_t size, const isotick_member* members,
                                   uint32_t member_count) {
    isotick_begin_array(v, name, count);
    isotick_struct_elements_(v, (uint8_t*)structs, count, size, members, member_count);
}

static inline uint32_t isotick_struct_list(isotick_visitor* v, const char* name, void* structs,
                                           uint32_t count, uint32_t most, uint64_t size,
                                           const isotick_member* members, uint32_t member_count) {
    count = isotick_begin_list(v, name, count, most);
    isotick_struct_elements_(v, (uint8_t*)structs, count, size, members, member_count);
    return v->status == ISOTICK_OK ? count : 0;
}

#ifdef __cplusplus
}
#endif
#endif
