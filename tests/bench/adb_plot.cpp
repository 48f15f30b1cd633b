/* See adb_plot.hpp. */
#include "adb_plot.hpp"

#include <cstdio>

static void write_curve(std::FILE *out, const Curve &curve, size_t number)
{
    std::fprintf(out, "$curve%zu << EOD\n", number);
    for (const CurvePoint &point : curve.points) {
        std::fprintf(out, "%.6g %.6g %.6g\n", point.x, point.y, point.spread);
    }
    std::fprintf(out, "EOD\n");
}

void draw_plot(const std::string &path, const Plot &plot)
{
    std::FILE *out = popen("gnuplot", "w");
    if (out == nullptr) {
        std::perror("gnuplot");
        return;
    }
    std::fprintf(out,
                 "set terminal svg noenhanced size %s font 'sans,14' background '#ffffff'\n"
                 "set output '%s'\nset title '%s'\nset xlabel '%s'\nset ylabel '%s'\n"
                 "set grid lc rgb '#e0e0e0'\n",
                 plot.unit_square ? "640,600" : "860,440", path.c_str(), plot.title.c_str(),
                 plot.x.c_str(), plot.y.c_str());
    std::fprintf(out, plot.unit_square ? "set xrange [0:1]\nset yrange [0:1]\nset size square\n"
                                         "set key right bottom\n"
                                       : "set key outside right top\n");
    if (plot.logarithmic) {
        std::fprintf(out, "set logscale y\n");
    } else if (!plot.unit_square) {
        std::fprintf(out, "set yrange [0:*]\n");
    }
    std::string list = plot.unit_square ? "x with lines dt 2 lc rgb '#808080' notitle" : "";
    for (size_t i = 0; i < plot.curves.size(); i++) {
        if (plot.curves[i].points.empty()) {
            continue;
        }
        write_curve(out, plot.curves[i], i);
        const std::string number = std::to_string(i);
        const std::string style = " lw 1.5 pt 7 ps 0.5 lc " + std::to_string(i + 1);
        list += (list.empty() ? "$curve" : ", $curve") + number +
                (plot.unit_square ? " with yerrorlines" : " with linespoints") + style +
                " title '" + plot.curves[i].title + "'";
    }
    std::fprintf(out, "plot %s\n", list.c_str());
    if (pclose(out) != 0) {
        std::fprintf(stderr, "%s: gnuplot failed\n", path.c_str());
    }
}
