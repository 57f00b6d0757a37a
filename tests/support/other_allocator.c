/* An allocator that a program is linked with in the place of the C library's, as with jemalloc: it
   hands out memory once, and aborts where it is given back what it has not handed out. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct header {
    size_t size;
    uint64_t mark;
};

static const uint64_t own_mark = 0x6F74686572206F6E;
static _Alignas(4096) char memory[(size_t)1 << 28];
static atomic_size_t used;

static struct header* header_of(void* block) {
    return (struct header*)block - 1;
}

void* memalign(size_t alignment, size_t size) {
    const size_t step = alignment < 16 ? 16 : alignment;
    const size_t begin = atomic_fetch_add(&used, size + 2 * step + sizeof(struct header));
    if (begin + size + 2 * step + sizeof(struct header) > sizeof memory) {
        errno = ENOMEM;
        return NULL;
    }
    const size_t place = (begin + sizeof(struct header) + step - 1) / step * step;
    char* const block = memory + place;
    *header_of(block) = (struct header){size, own_mark};
    return block;
}

void* malloc(size_t size) {
    return memalign(16, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

void* calloc(size_t count, size_t size) {
    return size != 0 && count > SIZE_MAX / size ? NULL : memalign(16, count * size);
}

size_t malloc_usable_size(void* block) {
    return block == NULL ? 0 : header_of(block)->size;
}

void free(void* block) {
    if (block != NULL && header_of(block)->mark != own_mark) {
        abort();
    }
}

void* realloc(void* block, size_t size) {
    void* const moved = memalign(16, size);
    if (block != NULL && moved != NULL) {
        const size_t before = malloc_usable_size(block);
        memcpy(moved, block, before < size ? before : size);
        free(block);
    }
    return moved;
}
