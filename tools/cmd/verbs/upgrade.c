/* kiln upgrade: are files of the version that this command writes, and what to do about those that
 * are not?
 *
 * The version is read from the header before anything is verified, because a file of another
 * version fails the verifier with an error that does not say which one it has. Nothing is
 * converted: there is one major version with a promise so far, and versions before it can only be
 * baked again. */
#include "contents.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../../formats/format.h"

#include <string.h>

typedef struct {
    bool quiet, json;
} upgrade_settings;

static const option upgrade_options[] = {
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(upgrade_settings, quiet),
     "print only errors; the exit status is the result"},
    OPTION_JSON(upgrade_settings),
};

/* Major numbers break readers, minor ones do not. */
typedef struct {
    unsigned major, minor;
} version;

/* "1.0". */
static const char *text_of(version of, char text[24])
{
    snprintf(text, 24, "%u.%u", of.major, of.minor);
    return text;
}

/* By major, then by minor number. */
static bool is_older(version a, version b)
{
    return a.major < b.major || (a.major == b.major && a.minor < b.minor);
}

/* Each file is reported, also after one that failed; the worst status counts. */
static int run_upgrade(int argc, char **argv)
{
    const version current = {KILN_FORMAT_MAJOR, KILN_FORMAT_MINOR};
    upgrade_settings settings = {false, false};
    int count;
    int worst = options_parse(&verb_upgrade, argc, argv, &settings, &count);
    if (worst != EXIT_DONE) {
        return worst;
    }
    for (int i = 0; i < count; i++) {
        version found = {0, 0};
        contents of;
        kiln_format_error error;
        char format[24] = "", writes[24];
        const char *state = "unreadable";
        int status = contents_load(&of, argv[i]);
        if (status == EXIT_DONE) {
            const uint8_t *bytes = of.data;
            if (of.size >= sizeof(kiln_format_header) &&
                memcmp(bytes, KILN_FORMAT_MAGIC, KILN_FORMAT_MAGIC_SIZE) == 0) {
                /* Two little-endian numbers of 16 bits, in the header of every version. */
                found.major = bytes[8] | (unsigned)bytes[9] << 8;
                found.minor = bytes[10] | (unsigned)bytes[11] << 8;
                (void)text_of(found, format);
            }
            /* What opens is current or readable; for the rest, error and version decide. */
            if (contents_open_loaded(&of, &error)) {
                state = is_older(found, current) ? "readable" : "current";
            } else if (error.code == KILN_FORMAT_ERROR_VERSION && is_older(found, current)) {
                state = "bake again";
                status =
                    report_error(EXIT_DIFFERS, argv[i],
                                 "is of format %s; this command writes %s and can't convert it; "
                                 "bake it again from its source",
                                 format, text_of(current, writes));
            } else {
                const bool newer = error.code == KILN_FORMAT_ERROR_VERSION ||
                                   error.code == KILN_FORMAT_ERROR_FEATURE;
                /* An unknown required feature comes from a newer version as well. */
                state = newer ? "newer" : "broken";
                status = report_format_error(argv[i], error.code, error.text);
            }
            contents_close(&of);
        }
        if (report_is_json()) {
            json_t *object = json_object();
            json_object_set_new(object, "file", json_cstring(argv[i]));
            json_object_set_new(object, "status", json_integer(status));
            json_object_set_new(object, "state", json_cstring(state));
            json_object_set_new(object, "format",
                                format[0] != '\0' ? json_cstring(format) : json_null());
            report_file(object, count);
        } else if (status == EXIT_DONE && !settings.quiet) {
            printf("%s: format %s, %s\n", argv[i], format, state);
        }
        worst = status > worst ? status : worst;
    }
    return worst;
}

const verb verb_upgrade = {
    "upgrade",
    "FILE...",
    "list the files that have to be baked again for this version",
    "A file of the version that this command writes is current. An older one that it reads "
    "without conversion is readable: nothing has to be done. Versions before 1.0 can't be read "
    "or converted: such files have to be baked again, exit status 7. A file of a newer version "
    "than this command knows ends in exit status 5, a broken one in 3. Nothing is written: there "
    "is no older version yet that could be converted.",
    upgrade_options,
    COUNT_OF(upgrade_options),
    1,
    -1,
    run_upgrade,
};
