/* CRC-32C (Castagnoli, as iSCSI and ext4 have it): finds every change of up to 32 bits in a row. */
#ifndef TORRE_CRC32C_H
#define TORRE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `crc` is the checksum of, 0 of nothing, followed by the bytes. */
uint32_t torre_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The same on any processor, which torre_crc32c takes where this one has no instruction for it. */
uint32_t torre_crc32c_plain(uint32_t crc, const void *bytes, size_t count);

#endif
