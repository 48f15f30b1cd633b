/* A folder of baked files by what they were made from, which any number of bakers may share, on one
 * machine or over a network: entries are written aside and renamed, are never changed, and are
 * verified whenever they are taken, so a damaged one is a miss and no more.
 *
 *   CACHEDIR.TAG           says that this is a cache (the convention of that name)
 *   ab/ab...-p.kiln        a file, by its build key and layout (p packed, r raw)
 *   ab/ab...-0123....names names of side files that a model has been seen to refer to; `ab...` is
 *                          the key that it would have without any
 *
 * A model without side files is found by its key alone. Else every list of names that is known for
 * it is tried: the names, with the bytes that the files have now, give the key. */
#ifndef KILN_CACHE_H
#define KILN_CACHE_H

#include "../common/soup.h"
#include "../common/write_file.h"
#include "up_to_date.h"

/* Unless the cache is `shared`, no other user may be able to write there: an entry is believed to
 * be what its maker says. False: message says "what; why; what to do". */
bool kiln_cache_trusted(const char *folder, bool shared, char message[KILN_WRITE_MESSAGE_SIZE]);

/* The same, and makes the folder a cache if it is none yet. False as above. */
bool kiln_cache_prepare(const char *folder, bool shared, char message[KILN_WRITE_MESSAGE_SIZE]);

/* The file that the request would make, if it is there, released by free(); else NULL. *report as
 * for kiln_request_answered. Notes the use of the entry unless it is a `look_only`. */
void *kiln_cache_find(const char *folder, kiln_request *request, bool look_only, size_t *size,
                      kiln_bake_report *report);

/* Keeps a file that the request made from `soup`. False as above; the cache is as good as before.
 */
bool kiln_cache_store(const char *folder, kiln_request *request, const kiln_soup *soup,
                      const void *file, size_t size, char message[KILN_WRITE_MESSAGE_SIZE]);

#endif
