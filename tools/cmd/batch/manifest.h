/* A manifest: a file in YAML, or in JSON, which is YAML, that says what is to be baked. Its schema
 * for editors is kiln.manifest.schema.json.
 *
 *   kiln: 1                        version of the schema
 *   output: build/collision        folder of the outputs; default the manifest's own
 *   folders: tree                  outputs in the folders of their inputs' paths; or flat
 *   defaults: {leaf: 8}            options of kiln bake for all assets
 *   assets:
 *     - models/hero.glb            a path or a pattern; or
 *     - path: [props/[a-m]*.obj, a.ply]
 *       exclude: props/old-[a-z]*.obj
 *       output: props/             a folder, with a slash at its end, or the file of one asset
 *       options: {bv: [obb, aabb], adb: 4}
 *
 * Names are taken from the manifest's folder. Where several entries make the same output from the
 * same input, it is baked once, with the options of later entries laid over those of earlier ones.
 *
 * One document in UTF-8, up to 256 MiB. Aliases are followed and merge keys (<<) obeyed; members of
 * the document that begin with x- are for what aliases refer to. Tags of one's own are errors,
 * numbers are decimal, truth is true or false, null is no text; what YAML 1.1 reads otherwise (yes,
 * 010) is an error rather than either. An entry that comes to no file is one too, unless
 * --allow-empty. */
#ifndef KILN_CMD_MANIFEST_H
#define KILN_CMD_MANIFEST_H

#include "plan.h"

#include <stdbool.h>
#include <stdio.h>

/* Sets *path to `given`, or, where neither it nor one of `inputs` is given, to the path of the
 * kiln.yaml in the working folder or the nearest folder above that has one; else to NULL: what is
 * to be baked stands in the arguments. EXIT_DONE, or a status that has been reported. */
int manifest_find(const char *given, int inputs, const char **path);

/* Prints a manifest with every member and comments, to begin one from. False where it can't be
 * printed wholly. */
bool manifest_print_example(FILE *out);

/* Adds the jobs of the manifest `path`. Of `settings`, those that `given` has come from the command
 * line and win over the manifest. Reports everything that is wrong with it, as "FILE:LINE:COLUMN:
 * what", and returns EXIT_INVALID, or EXIT_IO where it can't be read or a pattern matches no file.
 */
int manifest_add(plan *of, const char *path, const bake_settings *settings, uint64_t given);

#endif
