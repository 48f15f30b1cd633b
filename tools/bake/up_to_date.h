/* Is a file what a bake would write? Answered from the build key, without reading the model: the
 * key covers the bytes of the source and of its side files, which side files were looked for and
 * not there, the options and the versions. Clocks are never read. */
#ifndef KILN_UP_TO_DATE_H
#define KILN_UP_TO_DATE_H

#include "../encode/weights_file.h"
#include "../kiln_bake.h"

/* The request of a bake, as far as its result depends on it, with the source open. */
typedef struct kiln_request kiln_request;

/* NULL: the source can't be opened, or there is no memory. The arguments must stay; `options` has
 * no NULL that stands for a default. `choice` is the hash of a kiln_choice, or NULL. */
kiln_request *kiln_request_open(const kiln_bake_input *input, const kiln_bake_options *options,
                                const kiln_weights_rows *weights, const uint8_t *choice);
/* Can the source be opened, does its name say a format, and is the program there that reads it?
 * Else the status and the error. Starts that program only for a format which the table of formats
 * has not. */
kiln_bake_status kiln_request_readable(const kiln_bake_input *input,
                                       const kiln_bake_options *options, kiln_bake_report *report);

void kiln_request_close(kiln_request *request);
kiln_layout kiln_request_layout(const kiln_request *request);
/* Are the other users who may write to the cache trusted? */
bool kiln_request_shares_cache(const kiln_request *request);

struct kiln_side_file;

/* The build key of the request, were these its side files, sorted by name. False: they are not as
 * `sides` has them. */
bool kiln_request_key(kiln_request *request, const struct kiln_side_file *sides, size_t count,
                      uint8_t key[16]);

/* Is the kiln file in memory whole by its checksums, made by this request, in this layout, and not
 * refused by `strict`? The key and the hash of the source that it records are compared, and, with
 * `decoded`, the hash of its contents. Then *report, if not NULL, gets what the file says about its
 * bake. */
bool kiln_request_answered(kiln_request *request, const void *file, size_t size, bool decoded,
                           kiln_bake_report *report);

/* The same of the file `path`. False also where there is none. */
bool kiln_request_up_to_date(kiln_request *request, const char *path, kiln_bake_report *report);

/* Is the open regular file a whole kiln file, by its checksums, that was made from a source of this
 * name, whatever that holds now? */
bool kiln_file_is_made_from(int file, const char *name);

/* All bytes of the regular file `path`, into memory for free(); NULL: not to be had. */
void *kiln_load_regular(const char *path, size_t *size);

#endif
