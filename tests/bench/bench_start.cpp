/* Measures how long the importing programs take to start. Beside an empty program in the same run
 * it measures the greeting of each importer (started, linked, its limits set), and the import of
 * one triangle by each (sandbox, reader, scene, soup). Kinds take turns, so that a busy machine
 * slows all alike; each figure is the least, since nothing makes a start faster than it is. */
#include "measure.hpp"

extern "C" {
#include "../../tools/import/import.h"
#include "../../tools/import/program.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>

namespace
{

void check(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(2);
    }
}

void start(const char *path, const char *argument)
{
    char *const arguments[] = {const_cast<char *>(path), const_cast<char *>(argument), nullptr};
    char *const environment[] = {nullptr};
    posix_spawn_file_actions_t files;
    pid_t process = 0;
    int status = 0;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1 /* O_WRONLY */, 0);
    check(posix_spawn(&process, path, &files, nullptr, arguments, environment) == 0, path);
    check(waitpid(process, &status, 0) == process && WIFEXITED(status), path);
    posix_spawn_file_actions_destroy(&files);
}

void import_triangle(const char *format, const char *text)
{
    const kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_input input = {};
    kiln_bake_report report = {};
    kiln_soup soup = {};

    input.data = text;
    input.size = std::strlen(text);
    input.format = format;
    check(kiln_import(&input, &options, &soup, &report) == KILN_BAKE_OK, format);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);
}

} // namespace

int main(int count, char **arguments)
{
    const Options options = parse_options(count, arguments);
    char *looked = nullptr;
    char *own = kiln_importer_path(nullptr, "kiln-import", &looked);
    char *assimp = kiln_importer_path(nullptr, "kiln-import-assimp", &looked);
    static const char *const names[] = {"an empty program (/bin/true)", "kiln-import --version",
                                        "kiln-import-assimp --version", "import of a triangle, OBJ",
                                        "import of a triangle, NFF by Assimp"};
    enum { KINDS = sizeof names / sizeof names[0] };
    double least[KINDS];

    check(own != nullptr && assimp != nullptr, "finding the importers");
    std::fill(least, least + KINDS, HUGE_VAL);
    for (int i = 0; i < (options.quick ? 20 : 200); i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            const double before = now();
            switch (kind) {
            case 0:
                start("/bin/true", nullptr);
                break;
            case 1:
                start(own, "--version");
                break;
            case 2:
                start(assimp, "--version");
                break;
            case 3:
                import_triangle("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
                break;
            default:
                import_triangle("nff", "p 3\n0 0 0\n1 0 0\n0 1 0\n");
            }
            least[kind] = std::min(least[kind], now() - before);
        }
    }
    print_origin(stdout, "# ", "bench_start");
    std::printf("%-38s %8s %10s\n", "", "ms", "of the first");
    for (int kind = 0; kind < KINDS; kind++) {
        std::printf("%-38s %8.2f %10.1f\n", names[kind], least[kind] / 1e6, least[kind] / least[0]);
    }
    std::FILE *csv = open_csv(options.csv, "bench_start");
    for (int kind = 0; csv != nullptr && kind < KINDS; kind++) {
        std::fprintf(csv, "\"%s\",%.4f,%.3f\n", names[kind], least[kind] / 1e6,
                     least[kind] / least[0]);
    }
    close_csv(csv, options.csv);
    std::free(own);
    std::free(assimp);
    return 0;
}
