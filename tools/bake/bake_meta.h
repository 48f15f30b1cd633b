/* What a bake writes down about itself: the meta document and the build key. Neither holds a clock,
 * a folder, a host, a thread count or the layout. */
#ifndef KILN_BAKE_META_H
#define KILN_BAKE_META_H

#include "../tree/build.h"
#include "../common/soup.h"
#include "../encode/weights_file.h"
#include "../kiln_bake.h"

/* First half of the SHA-256 over the source's hash (kiln_source_hash: side files included), its
 * name without folder and format, the options that shape the contents, the weights, what a tree is
 * chosen by (kiln_choice; NULL: it is named), and the versions of kiln, the format, Assimp and
 * zlib. */
void kiln_bake_meta_key(const kiln_bake_input *input, const kiln_bake_options *options,
                        const char *format, const uint8_t source_hash[32],
                        const kiln_weights_rows *weights, const uint8_t *choice, uint8_t key[16]);

/* JSON, released by free(); NULL: no memory. `trees` as in kiln_model. `chosen`: by
 * counts of queries, for bv "auto". */
char *kiln_bake_meta_document(const kiln_bake_input *input, const kiln_bake_options *options,
                              const kiln_soup *soup, const kiln_build_tree *trees,
                              uint32_t group_count, const kiln_build_kind *const *kinds,
                              uint32_t kind_count, bool chosen);

#endif
