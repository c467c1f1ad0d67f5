/*
 * Kernels in a fat binary: registers, stack, shared memory and the sizes of the parameters, from
 * the ELF image of the machine code. Layouts: sections .nv.info and .nv.info.<kernel> hold entries
 * of a format (1: nothing, 2: a byte, 3: two bytes, 4: as many as the second word says), a name and
 * a value; `readelf -SW` of a cubin and a look at ptxas -v are where the names below come from.
 */
#include <elf.h>
#include <string.h>

#include "fake_cuda.h"

enum { /* names of entries */
       INFO_MOST_THREADS = 0x05,
       INFO_FRAME_BYTES = 0x11,
       INFO_PARAMETER = 0x17,
       INFO_REGISTERS = 0x2f
};
enum { RESERVED_SHARED = 1024 }; /* in .nv.shared, by the system (compute capability 8.0 and up) */

typedef struct fat_wrapper {
    uint32_t magic, version;
    const char *data;
} fat_wrapper;

/* Of the fat binary: 16 bytes of header, then images with a header of their own. */
static const char *first_image(const fat_wrapper *wrapper)
{
    const char *at = wrapper->data, *end;
    uint16_t header, kind;
    uint32_t image_header;
    uint64_t bytes;
    memcpy(&header, at + 6, sizeof header);
    memcpy(&bytes, at + 8, sizeof bytes);
    for (at += header, end = at + bytes; at < end; at += image_header + bytes) {
        memcpy(&kind, at, sizeof kind);
        memcpy(&image_header, at + 4, sizeof image_header);
        memcpy(&bytes, at + 8, sizeof bytes);
        if (kind == 2 && memcmp(at + image_header, ELFMAG, SELFMAG) == 0) return at + image_header;
    }
    return NULL; /* PTX alone, or compressed */
}

typedef struct image {
    const char *base;
    const Elf64_Ehdr *elf;
    const Elf64_Shdr *section;
    const char *names;
} image;

static const Elf64_Shdr *find_section(const image *m, const char *prefix, const char *kernel)
{
    for (int i = 0; i < m->elf->e_shnum; i++) {
        const char *name = m->names + m->section[i].sh_name;
        size_t length = strlen(prefix);
        if (strncmp(name, prefix, length) == 0 && strcmp(name + length, kernel) == 0)
            return &m->section[i];
    }
    return NULL;
}

/* The name of a symbol of .symtab. */
static const char *symbol(const image *m, uint32_t number)
{
    const Elf64_Shdr *table = find_section(m, ".symtab", "");
    const Elf64_Sym *all = (const Elf64_Sym *)(m->base + table->sh_offset);
    return m->base + m->section[table->sh_link].sh_offset + all[number].st_name;
}

static void take_parameter(const char *value, fake_kernel *k)
{
    uint16_t number;
    uint32_t size;
    memcpy(&number, value + 4, sizeof number);
    memcpy(&size, value + 8, sizeof size);
    if (number >= FAKE_PARAMETERS) return;
    k->parameter_size[number] = (int)(size >> 18);
    if (number >= k->parameters) k->parameters = number + 1;
}

/* Entries of a section; of the one of all kernels only those of this kernel. */
static void take_entries(const image *m, const Elf64_Shdr *section, bool of_all, fake_kernel *k)
{
    const char *at = m->base + section->sh_offset, *end = at + section->sh_size, *value;
    uint32_t word[2] = {0, 0};
    for (; at + 4 <= end; at = value) {
        uint16_t bytes;
        memcpy(&bytes, at + 2, sizeof bytes);
        const int format = at[0], what = (unsigned char)at[1];
        value = at + 4;
        if (format == 4) {
            memcpy(word, value, bytes < sizeof word ? bytes : sizeof word);
            value += bytes;
        }
        if (of_all && (bytes < sizeof word || strcmp(symbol(m, word[0]), k->name) != 0)) continue;
        if (what == INFO_REGISTERS) k->registers = (int)word[1];
        if (what == INFO_FRAME_BYTES) k->local_bytes = (int)word[1];
        if (what == INFO_MOST_THREADS) k->most_threads = (int)word[0];
        if (what == INFO_PARAMETER) take_parameter(at + 4, k);
    }
}

bool fake_image_read(const void *wrapper, const char *name, fake_kernel *k)
{
    image m = {.base = first_image(wrapper)};
    if (!m.base) return false;
    m.elf = (const Elf64_Ehdr *)m.base;
    m.section = (const Elf64_Shdr *)(m.base + m.elf->e_shoff);
    m.names = m.base + m.section[m.elf->e_shstrndx].sh_offset;
    const Elf64_Shdr *all = find_section(&m, ".nv.info", ""), *own, *shared;
    own = find_section(&m, ".nv.info.", name);
    shared = find_section(&m, ".nv.shared.", name);
    if (!all || !own) return false;
    k->name = name;
    k->architecture = (int)(m.elf->e_flags >> 8 & 0xff);
    k->most_threads = 1024;
    take_entries(&m, all, true, k);
    take_entries(&m, own, false, k);
    if (shared && shared->sh_size > RESERVED_SHARED)
        k->shared_bytes = (int)shared->sh_size - RESERVED_SHARED;
    return true;
}
