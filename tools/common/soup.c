#include "soup.h"

#include <stdlib.h>
#include <string.h>

void kiln_soup_free(kiln_soup *soup)
{
    free(soup->positions);
    free(soup->indices);
    free(soup->face);
    free(soup->user);
    free(soup->parts);
    free(soup->materials);
    free(soup->strings);
    free(soup->notes);
    free(soup->side_files);
    free(soup->warnings);
    memset(soup, 0, sizeof *soup);
}
