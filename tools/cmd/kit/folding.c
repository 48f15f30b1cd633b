/* Notes that are equal but for their file, counted instead of repeated.
 *
 * A hash table with open addressing over a list, which keeps the order in which texts came first.
 * Only so many texts are remembered: a batch whose notes all differ, as those that name a face do,
 * has nothing to fold, and must not need memory for each of them. What is not remembered is printed
 * every time, so that nothing is lost by the limit, nor where there is no memory. The hash is
 * FNV-1a of Fowler, Noll and Vo. */
#define _XOPEN_SOURCE 700

#include "folding.h"

#include "../../../formats/assert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MOST = 4096, SLOTS = 2 * TEXTS_MOST }; /* slots: a power of 2, at most half full */

static struct {
    folded list[TEXTS_MOST];
    size_t count;
    uint16_t slots[SLOTS]; /* 0: empty, else the place in the list and 1 */
} * table;

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    }
    return hash;
}

/* Keeps a file of a note. Without memory it is only counted. */
static void keep_file(folded *one, const char *file)
{
    char *copy = one->file_count < FOLDED_FILES_MOST ? strdup(file) : NULL;
    if (copy != NULL) {
        one->files[one->file_count++] = copy;
    }
}

bool folding_add(const char *text, const char *file)
{
    table = table != NULL ? table : calloc(1, sizeof *table);
    if (table == NULL) {
        return true;
    }
    uint32_t slot = hash_of(text) % SLOTS;
    for (; table->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        folded *one = &table->list[table->slots[slot] - 1];
        KILN_ASSERT(table->slots[slot] <= table->count);
        if (strcmp(one->text, text) == 0) {
            one->count++;
            if (file != NULL) {
                keep_file(one, file);
            }
            return false;
        }
    }
    if (table->count == TEXTS_MOST) {
        return true;
    }
    char *copy = strdup(text);
    if (copy == NULL) {
        return true;
    }
    table->list[table->count++] = (folded){.text = copy, .count = 1};
    table->slots[slot] = (uint16_t)table->count;
    return true;
}

const folded *folding_list(size_t *count)
{
    *count = table != NULL ? table->count : 0;
    return table != NULL ? table->list : NULL;
}

void folding_clear(void)
{
    for (size_t i = 0; table != NULL && i < table->count; i++) {
        KILN_ASSERT(table->list[i].text != NULL);
        free(table->list[i].text);
        for (size_t k = 0; k < table->list[i].file_count; k++) {
            free(table->list[i].files[k]);
        }
    }
    free(table);
    table = NULL;
}
