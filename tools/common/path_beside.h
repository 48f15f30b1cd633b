/* Where a file is that another refers to. */
#ifndef KILN_PATH_BESIDE_H
#define KILN_PATH_BESIDE_H

/* `name` as it stands in the file `path`: from the folder of that file, unless it starts at the root. In new
 * memory; NULL without. */
char *kiln_path_beside(const char *path, const char *name);

#endif
