/* Pages: one HTML file each, which loads nothing, opens from a folder, and holds its scripts and
 * its data. */
#ifndef KILN_VIEW_PAGE_H
#define KILN_VIEW_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What goes between the tags of a page: the data, in elements of their own. Starts zeroed. Once
 * memory is short nothing is added any more, and page_make returns NULL. */
typedef struct {
    char *text;
    size_t size, capacity;
    unsigned blocks;
    bool no_memory;
} page_data;

typedef enum { PAGE_U8, PAGE_I16, PAGE_U32, PAGE_F32 } page_type;

/* Adds `count` values as a block. In place of each value of U32 its difference from the one `step`
 * before it is stored (0: itself). The object says how a page reads the block; it is the caller's,
 * and NULL without memory. */
json_t *page_add_array(page_data *to, page_type type, const void *values, size_t count,
                       unsigned step);

/* Adds the bytes of a file that the build has embedded. NULL: there is none of this name. */
json_t *page_add_embedded(page_data *to, const char *name);

/* Adds the document that the page reads first. No text in it ends its element. */
void page_add_json(page_data *to, const json_t *document);

void page_free(page_data *data);

/* Can pages draw in space, and ask libkiln, in this build? */
bool page_has_three(void);
bool page_has_wasm(void);

/* Makes the page from its template ("view.html") and the data, in new memory; NULL: no memory. */
char *page_make(const char *template_name, const page_data *data, size_t *size);

/* The document of a page that page_make has made, read from its text [size]; NULL: there is none,
 * or it is broken. */
json_t *page_read_json(const char *text, size_t size);

/* The bytes in base64, in new memory; NULL: there is none. */
char *page_base64(const void *data, size_t size);

#endif
