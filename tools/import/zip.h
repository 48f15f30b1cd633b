/* Archives of ZIP in which some formats pack a model: the list of their files, and the bytes of
 * one. */
#ifndef KILN_IMPORT_ZIP_H
#define KILN_IMPORT_ZIP_H

#include "reader.h"

typedef struct {
    char *name;            /* in UTF-8, without a zero byte */
    char *key;             /* by which it is found */
    uint64_t packed, size; /* bytes in the archive, bytes of the file */
    uint64_t offset;       /* of its local header in the model */
    uint64_t listed;       /* where the list has it */
    uint32_t crc;
    unsigned method, flags;
} kiln_zip_entry;

typedef struct {
    kiln_reading *reading;
    kiln_zip_entry *entries; /* by key */
    size_t count;
} kiln_zip;

/* Do the model's first bytes say that it is an archive? */
bool kiln_zip_is(const kiln_model *model);

/* Reads the list. Ends the work where the archive is broken or is of a kind that is not read. The
 * zip stands where it is until kiln_zip_close. */
void kiln_zip_open(kiln_zip *zip, kiln_reading *reading);
void kiln_zip_close(kiln_zip *zip);

/* The file of that name, whatever the case of ASCII letters, with or without escapes (%20), as
 * packages of parts want it; NULL: there is none. Two of them end the work. */
const kiln_zip_entry *kiln_zip_find(const kiln_zip *zip, const char *name);

/* All bytes of a file, unpacked, with a zero behind them, for free(). Ends the work where they are
 * not those that the list declares, by their number and their CRC-32. A file that is larger than
 * the limit of memory ends it before anything is unpacked. */
uint8_t *kiln_zip_load(const kiln_zip *zip, const kiln_zip_entry *entry);

#endif
