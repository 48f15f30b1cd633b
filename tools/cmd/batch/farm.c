/* See farm.h. The script has a table with a line an asset: command, output, input, the files that the input refers
 * to, parted by tabs. GNU parallel has rsync bring the files of a line to a host, into a folder made for it, and the
 * output back. It takes a fixed number of files, so that lines with fewer repeat the input.
 *
 * To the host that it runs on parallel brings nothing, and yet has it work in a folder of its own; there alone is the
 * variable KILN_HERE, by which the command goes back.
 *
 * parallel's manual (20221122) leaves open what its source decides: a host lost between the end of a job and the
 * return of its output counts as done. So the whole table is run here at the end; whatever came back is found
 * up to date by its bytes, and what did not is baked. */
#include "farm.h"

#include "../kit/report.h"
#include "script.h"
#include "source_files.h"

#include <stdlib.h>
#include <string.h>

#define FROM_ABOVE "; plan in a folder that all files of it are below, with paths from there"

/* Why a host has no place for a path, and what to do; or NULL. */
static const char *misplaced(const char *path)
{
    if (path[0] == '/') {
        return "starts at the root" FROM_ABOVE;
    }
    if (strchr(path, '\t') != NULL || strchr(path, '\n') != NULL) {
        return "has a tab or a line break in it; rename it";
    }
    for (const char *at = path; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) {
            return "leads out of the folder, by '..'" FROM_ABOVE;
        }
    }
    return NULL;
}

static int check_path(const job *asset, const char *path)
{
    const char *what = misplaced(path);
    if (what == NULL) {
        return EXIT_DONE;
    }
    return report_error(EXIT_UNSUPPORTED, asset->input,
                        "can't stand in a plan for farm; '%.500s' %s", path, what);
}

/* As they are given, and as they are brought. */
static int check_asset(const job *asset, const source_files *list)
{
    int status = check_path(asset, asset->output);
    if (list->up_to_date || status != EXIT_DONE) {
        return status;
    }
    status = check_path(asset, asset->input);
    if (status == EXIT_DONE && asset->settings.adb_weights != NULL) {
        status = check_path(asset, asset->settings.adb_weights);
    }
    for (size_t k = 0; k < list->count && status == EXIT_DONE; k++) {
        status = check_path(asset, list->paths[k]);
    }
    return status;
}

/* "./" keeps rsync from taking a name for an option or for a host. */
static void print_table(const plan *of, const char *cache, const source_files *lists,
                        size_t columns)
{
    for (size_t i = 0; i < of->count; i++) {
        if (lists[i].up_to_date) {
            continue;
        }
        script_put_line(&of->jobs[i], cache);
        printf("\t./%s", of->jobs[i].output);
        for (size_t k = 0; k < columns; k++) {
            printf("\t./%s", lists[i].paths[k < lists[i].count ? k : 0]);
        }
        putchar('\n');
    }
}

static void print_script(const plan *of, const char *cache, const source_files *lists)
{
    size_t columns = 1, count = 0;
    for (size_t i = 0; i < of->count; i++) {
        columns = lists[i].count > columns ? lists[i].count : columns;
        count += !lists[i].up_to_date;
    }
    printf("#!/bin/sh\n"
           "# Has hosts that share no disk bake %zu asset%s, by GNU parallel, ssh and rsync, and "
           "bakes here what they\n"
           "# have not. Run it in the folder that it was planned in, with the hosts, how many jobs "
           "each takes at\n"
           "# once, and what else parallel is to know:\n"
           "#     sh SCRIPT --sshlogin 8/alpha,16/beta --joblog log\n"
           "# This host, ':', may be among them. PARALLEL_SSH says how ssh is called; a host that "
           "does not answer\n"
           "# it any more is given up.\n"
           "table() {\n    cat <<'END'\n",
           count, count == 1 ? "" : "s");
    print_table(of, cache, lists, columns);
    fputs("END\n}\n"
          ": \"${PARALLEL_SSH:=ssh -o ConnectTimeout=5 -o ServerAliveInterval=15 -o "
          "ServerAliveCountMax=3"
          " -o ControlMaster=auto -o ControlPath=~/.ssh/kiln-%C -o ControlPersist=60}\"\n"
          "export PARALLEL_SSH RSYNC_OLD_ARGS=1 KILN_HERE=\"$PWD\"\n"
          "table | parallel --colsep '\\t' --trim n --return {2}",
          stdout);
    for (size_t k = 0; k < columns; k++) {
        printf(" --transferfile {%zu}", k + 3);
    }
    fputs(" \\\n    --cleanup --workdir ... --rsync-opts -rLDzR --retries 3 --ungroup \"$@\" \\\n"
          "    'cd \"${KILN_HERE:-.}\" && {=1 uq() =}'\n"
          "table | parallel --colsep '\\t' '{=1 uq() =}'\n",
          stdout);
}

int farm_print(const plan *of, const char *cache)
{
    if (cache != NULL && cache[0] != '/') {
        return report_usage("--cache of a farm is a folder of each host and starts with '/'");
    }
    source_files *lists = calloc(of->count + 1, sizeof *lists);
    if (lists == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    int status = source_files_find(of, lists);
    for (size_t i = 0; i < of->count && status == EXIT_DONE; i++) {
        status = check_asset(&of->jobs[i], &lists[i]);
    }
    if (status == EXIT_DONE) {
        print_script(of, cache, lists);
    }
    source_files_free(lists, of->count);
    free(lists);
    return status;
}
