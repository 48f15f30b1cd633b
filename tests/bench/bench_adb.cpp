/* What `kiln-bench adb` measures, on fixed meshes and with FCL beside it; and an ablation.
 *
 * bench_adb [--quick] [--ablation | --figures FOLDER | --long] [--draws N] [--meshes NAME,NAME]
 *           [--csv FILE] [--json FILE] [--figure FILE] */
#include "adb_setup.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

static void usage(std::FILE *out, const char *program)
{
    std::fprintf(out,
                 "usage: %s [options]\n"
                 "  --quick           duck and car60k only, few poses\n"
                 "  --ablation        what each part and each setting is worth, instead\n"
                 "  --long            errors where triangles are long, instead\n"
                 "  --figures FOLDER  Figures 14, 16 and 17 of the paper, instead, as SVG, too\n"
                 "  --draws N         poses a distance, before those are left out whose boxes are\n"
                 "                    apart\n"
                 "  --meshes LIST     only these of:",
                 program);
    for (const std::string &name : adb_test_names()) {
        std::fprintf(out, " %s", name.c_str());
    }
    std::fprintf(
        out,
        "\n"
        "  --csv FILE        writes what is found of each mesh and method, or setting\n"
        "  --json FILE       writes everything that is found\n"
        "  --figure FILE     draws the reliability diagram, and speed over the distance, as its\n"
        "                    suffix says: .pdf, .svg or .png; values go to FILE.csv\n"
        "KILN_MODELS names the folder of the real models.\n");
}

static AdbOptions parse(int count, char **arguments)
{
    AdbOptions options;
    bool good = true;
    for (int i = 1; i < count && good; i++) {
        const std::string word = arguments[i];
        const char *value = i + 1 < count ? arguments[i + 1] : nullptr;
        if (word == "--help") {
            usage(stdout, arguments[0]);
            std::exit(0);
        } else if (word == "--quick") {
            options.quick = true;
        } else if (word == "--ablation") {
            options.ablation = true;
        } else if (word == "--long") {
            options.longs = true;
        } else if (value == nullptr) {
            good = false;
        } else if (word == "--draws") {
            options.draws = unsigned(std::strtoul(value, nullptr, 10));
            good = options.draws > 0 && options.draws <= 100000;
            i++;
        } else if (word == "--meshes") {
            std::istringstream list(value);
            for (std::string name; std::getline(list, name, ',');) {
                options.meshes.push_back(name);
            }
            i++;
        } else if (word == "--csv" || word == "--json" || word == "--figure" ||
                   word == "--figures") {
            (word == "--csv"      ? options.csv
             : word == "--json"   ? options.json
             : word == "--figure" ? options.figure
                                  : options.figures) = value;
            i++;
        } else {
            good = false;
        }
    }
    const std::vector<std::string> known = adb_test_names();
    for (const std::string &name : options.meshes) {
        good = good && std::find(known.begin(), known.end(), name) != known.end();
    }
    if (!good) {
        usage(stderr, arguments[0]);
        std::exit(1);
    }
    if (options.draws == 0) {
        options.draws = options.quick              ? 30
                        : options.ablation         ? 60
                        : options.longs            ? 60
                        : !options.figures.empty() ? 150
                                                   : 300;
    }
    if (options.quick && options.meshes.empty()) {
        options.meshes = {"duck", "car60k"};
    }
    return options;
}

int main(int count, char **arguments)
{
    const AdbOptions options = parse(count, arguments);
    std::FILE *csv = open_csv(options.csv, arguments[0]);
    json_t *report = json_object();
    bool right = true;
    print_origin(stdout, "", arguments[0]);
    if (options.ablation) {
        ablate(options, csv, report);
    } else if (!options.figures.empty()) {
        redraw_figures(options, csv);
    } else if (options.longs) {
        measure_long(options, csv);
    } else {
        right = compare(options, csv, report);
    }
    close_csv(csv, options.csv);
    if (!options.json.empty() &&
        json_dump_file(report, options.json.c_str(), JSON_INDENT(1)) != 0) {
        std::fprintf(stderr, "%s: not written\n", options.json.c_str());
        return 2;
    }
    json_decref(report);
    return right ? 0 : 1;
}
