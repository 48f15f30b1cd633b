/* The strings of a soup, one after the other in one block, each ended by a zero byte and named by
 * its offset. Names in files need not be UTF-8; here they are made to be. Errors are kept in
 * `failed`, so that names can be added without looking after each: who takes the block looks once.
 */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "../common/text.h"

enum { MOST_BYTES = 1 << 28 };

static void put(kiln_names *names, const void *bytes, size_t size)
{
    if (names->failed)
        return;
    if (size > MOST_BYTES - names->size ||
        !kiln_grow(&names->text, &names->capacity, names->size + size, 1)) {
        names->failed = true;
        return;
    }
    memcpy((char *)names->text + names->size, bytes, size);
    names->size += size;
    KILN_ASSERT(names->size <= names->capacity);
}

void kiln_names_append(kiln_names *names, const char *text)
{
    char *clean = kiln_utf8_clean(text);

    if (names->size == 0)
        put(names, "", 1); /* offset 0 */
    if (clean != NULL)
        put(names, clean, strlen(clean));
    else
        names->failed = true;
    free(clean);
}

/* The unfinished string starts after the last zero byte, since no string contains one. */
uint32_t kiln_names_end(kiln_names *names)
{
    size_t start = names->size;

    while (start > 0 && ((const char *)names->text)[start - 1] != '\0')
        start--;
    if (names->failed || start == names->size)
        return 0;
    put(names, "", 1);
    KILN_ASSERT(names->failed || ((const char *)names->text)[names->size - 1] == '\0');
    return names->failed ? 0 : (uint32_t)start;
}

uint32_t kiln_names_add(kiln_names *names, const char *text)
{
    kiln_names_append(names, text);
    return kiln_names_end(names);
}

uint32_t kiln_names_join(kiln_names *names, uint32_t parent, const char *name)
{
    size_t length = strlen(kiln_names_at(names, parent));

    KILN_ASSERT(names->failed || parent == 0 || parent < names->size);
    kiln_names_append(names, "");
    /* Room first: growing moves the parent's text, which must not move while it is copied. */
    if (!names->failed && !kiln_grow(&names->text, &names->capacity, names->size + length, 1))
        names->failed = true;
    put(names, kiln_names_at(names, parent), length);
    put(names, "/", 1);
    return kiln_names_add(names, name);
}

/* An offset that a failed addition has given is 0, which is "". */
const char *kiln_names_at(const kiln_names *names, uint32_t offset)
{
    return offset < names->size ? (const char *)names->text + offset : "";
}
