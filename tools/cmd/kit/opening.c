#include "opening.h"

#include "report.h"

#include <string.h>

int exit_status_of(kiln_status status)
{
    switch (status) {
    case KILN_OK:
        return EXIT_DONE;
    case KILN_ERROR_NOT_FOUND:
    case KILN_ERROR_IO:
    case KILN_ERROR_NOT_A_FILE:
        return EXIT_IO;
    case KILN_ERROR_MEMORY:
        return EXIT_RUN;
    case KILN_ERROR_VERSION:
    case KILN_ERROR_FEATURE:
        return EXIT_UNSUPPORTED;
    case KILN_ERROR_ARGUMENT:
        return EXIT_USAGE;
    default:
        return EXIT_INVALID;
    }
}

/* What helps against a status of the runtime. */
static const char *cure_of(kiln_status status)
{
    if (status == KILN_ERROR_NOT_LOADED) {
        return "give the other kind of file";
    }
    if (status == KILN_ERROR_NOT_KILN) {
        return "give a file that kiln bake wrote";
    }
    switch (exit_status_of(status)) {
    case EXIT_IO:
        return "check the path and its permissions";
    case EXIT_RUN:
        return "free some and run again";
    case EXIT_UNSUPPORTED:
        return "bake it again with this version, or use the other one";
    default:
        return "bake it again, or fetch it again where it came from";
    }
}

int report_format_error(const char *path, int code, const char *text)
{
    const kiln_status status = (kiln_status)code;
    const char *what = text[0] != '\0' ? text : kiln_status_text(status);
    return report_error(exit_status_of(status), path, "%s; %s", what, cure_of(status));
}

int open_file(const char *path, kiln_file **file)
{
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    const kiln_status status = kiln_open(path, &options, file);
    return status == KILN_OK ? EXIT_DONE : report_format_error(path, (int)status, error.message);
}

static bool tree_fits(const kiln_tree_info *info, const char *name, const char *bv)
{
    return (name == NULL || strcmp(info->name, name) == 0) &&
           (bv == NULL || strcmp(info->bv_name, bv) == 0);
}

int choose_tree(const char *path, const kiln_file *file, const char *name, const char *bv,
                const kiln_tree **tree)
{
    const char *chosen = NULL;
    *tree = NULL;
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree_info info = kiln_tree_get_info(kiln_file_tree(file, i));
        if (!tree_fits(&info, name, bv)) {
            continue;
        }
        if (*tree == NULL) {
            *tree = kiln_file_tree(file, i);
            chosen = info.name;
        } else if (strcmp(info.name, chosen) != 0) {
            return report_error(EXIT_USAGE, path,
                                "has several trees, '%s' and '%s' among them; "
                                "choose one by --tree (kiln info lists them)",
                                chosen, info.name);
        }
    }
    if (*tree == NULL) {
        return report_error(EXIT_USAGE, path, "has no tree%s%s%s%s; kiln info lists what it has",
                            name != NULL ? " named " : "", name != NULL ? name : "",
                            bv != NULL ? " of kind " : "", bv != NULL ? bv : "");
    }
    return EXIT_DONE;
}
