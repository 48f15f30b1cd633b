/* Versions of the command and of the libraries in use.
 *
 * Libraries are queried at run time, because a distribution may replace a shared one without
 * building kiln again; libdeflate has no such function and says what it was built against.
 * version_of_bytes() names the three on which the bytes of a bake depend: kiln itself, the importer
 * and the compressor. */
#include "version.h"

#include "report.h"
#include "verb.h"

#include "../../../formats/assert.h"
#include "../../../formats/format.h"
#include "../../../runtime/kiln.h"
#include "../../import/program.h"

#include <gmp.h>
#include <libfyaml.h>
#include <stdio.h>
#ifdef KILN_LIBDEFLATE
#include <libdeflate.h>
#endif
#include <zlib.h>

/* Of the program that reads by it, which alone is linked with it. */
static const char *of_assimp_in(const char *importer)
{
    static char text[KILN_LIBRARY_VERSION_SIZE];
    kiln_importer_library(importer, "3ds", text);
    return text[0] != '\0' ? text : "none";
}

static const char *of_assimp(void)
{
    return of_assimp_in(NULL);
}

static const char *of_gmp(void)
{
    return gmp_version;
}

#ifdef KILN_LIBDEFLATE
static const char *of_libdeflate(void)
{
    return LIBDEFLATE_VERSION_STRING;
}
#endif

/* A further library is a row, in alphabetical order. */
static const struct {
    const char *name;
    const char *(*version)(void);
} libraries[] = {
    {"assimp", of_assimp},
    {"gmp", of_gmp},
    {"jansson", jansson_version_str},
#ifdef KILN_LIBDEFLATE
    {"libdeflate", of_libdeflate},
#endif
    {"libfyaml", fy_library_version},
    {"zlib", zlibVersion},
};

/* For reports of bugs: the compiler decides nothing about the bytes of a bake. */
static const char compiler[] =
#if defined(__clang__)
    "clang " __clang_version__;
#elif defined(__GNUC__)
    "gcc " __VERSION__;
#else
    "unknown";
#endif

void version_print(void)
{
    if (!report_is_json()) {
        printf("%s %s\n", this_program.name, KILN_VERSION_STRING);
        return;
    }
    char format[32];
    (void)snprintf(format, sizeof format, "%u.%u", KILN_FORMAT_MAJOR, KILN_FORMAT_MINOR_NEWEST);
    json_t *root = report_root(), *versions = json_object();
    for (size_t i = 0; i < COUNT_OF(libraries); i++) {
        json_object_set_new(versions, libraries[i].name, json_cstring(libraries[i].version()));
    }
    json_object_set_new(root, "format", json_cstring(format));
    json_object_set_new(root, "libraries", versions);
    json_object_set_new(root, "compiler", json_cstring(compiler));
}

void version_of_bytes(const char *importer, char text[VERSION_OF_BYTES_SIZE])
{
    const int length = snprintf(text, VERSION_OF_BYTES_SIZE, "kiln-%s,assimp-%s,zlib-%s",
                                KILN_VERSION_STRING, of_assimp_in(importer), zlibVersion());
    KILN_ASSERT(length > 0 && length < VERSION_OF_BYTES_SIZE);
    (void)length;
}
