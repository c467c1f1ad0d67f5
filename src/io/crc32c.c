#include "io/crc32c.h"

#include <pthread.h>
#include <string.h>

static const uint32_t polynomial = 0x82f63b78; /* bits reversed */

/* table[k][b]: what byte b does to the checksum, k bytes before the end of eight. */
static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int i = 0; i < 8; i++) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        table[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

/* Without the inversions at both ends. */
static uint32_t by_table(uint32_t crc, const unsigned char *at, size_t count)
{
    pthread_once(&table_once, make_table);
    for (; count >= 8; at += 8, count -= 8) {
        const uint32_t low =
            crc ^ (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
        crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
              table[4][low >> 24] ^ table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^
              table[0][at[7]];
    }
    for (; count > 0; at++, count--) crc = crc >> 8 ^ table[0][(crc ^ *at) & 255];
    return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const unsigned char *at, size_t count)
{
    uint64_t wide = crc;
    for (; count >= 8; at += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; count > 0; at++, count--) crc = __builtin_ia32_crc32qi(crc, *at);
    return crc;
}
#endif

uint32_t torre_crc32c_plain(uint32_t crc, const void *bytes, size_t count)
{
    return ~by_table(~crc, bytes, count);
}

uint32_t torre_crc32c(uint32_t crc, const void *bytes, size_t count)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2")) return ~by_instruction(~crc, bytes, count);
#endif
    return torre_crc32c_plain(crc, bytes, count);
}
