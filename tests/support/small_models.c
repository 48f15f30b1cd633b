/* Small models through kiln_import, from memory. */
#include "small_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/import/import.h"
#include "soup_measure.h"

static void check_shape(const small_model *r, const small_shape *shape, const kiln_soup *soup)
{
    const soup_measure m = soup_measure_of(soup);

    if (soup->triangle_count != (uint32_t)r->triangles || !(fabs(m.area - r->area) <= 1e-5))
        fail_msg("%s, %s: %lu triangles, area %.9g, volume %.9g", r->format, r->about,
                 (unsigned long)soup->triangle_count, m.area, m.volume);
    if (shape != NULL && !(fabs(m.volume - shape->volume) <= 1e-5))
        fail_msg("%s, %s: volume %.9g", r->format, r->about, m.volume);
    for (int i = 0; shape != NULL && i < 6; i++)
        if (!(fabs(m.bounds[i] - shape->bounds[i]) <= 1e-5))
            fail_msg("%s, %s: bounds %.9g %.9g %.9g to %.9g %.9g %.9g", r->format, r->about,
                     m.bounds[0], m.bounds[1], m.bounds[2], m.bounds[3], m.bounds[4], m.bounds[5]);
}

void small_model_check(const small_model *r, const small_shape *shape)
{
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 1000};
    const kiln_bake_input input = {
        .data = r->text, .size = r->size != 0 ? r->size : strlen(r->text), .format = r->format};
    kiln_soup soup;
    kiln_bake_report report = {0};
    kiln_bake_status status = kiln_import(&input, &options, &soup, &report);
    const char *said = NULL;

    if (r->triangles < 0) {
        if (status != (r->triangles == -1 ? KILN_BAKE_INVALID : KILN_BAKE_UNSUPPORTED) ||
            strstr(report.error, r->says) == NULL)
            fail_msg("%s, %s: status %d, \"%s\"", r->format, r->about, (int)status, report.error);
        return;
    }
    if (status != KILN_BAKE_OK)
        fail_msg("%s, %s: %s", r->format, r->about, report.error);
    check_shape(r, shape, &soup);
    for (uint32_t i = 0; i < soup.warning_count; i++)
        if (r->says != NULL && strstr(soup.strings + soup.warnings[i], r->says) != NULL)
            said = r->says;
        else if (r->says == NULL)
            fail_msg("%s, %s: a warning: %s", r->format, r->about, soup.strings + soup.warnings[i]);
    if (r->says != NULL && said == NULL)
        fail_msg("%s, %s: no warning says \"%s\"", r->format, r->about, r->says);
    kiln_soup_free(&soup);
}
