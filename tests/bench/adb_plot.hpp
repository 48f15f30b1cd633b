/* Curves as SVG, by gnuplot. */
#ifndef KILN_BENCH_ADB_PLOT_HPP
#define KILN_BENCH_ADB_PLOT_HPP

#include <string>
#include <vector>

struct CurvePoint {
    double x, y, spread; /* spread: half the error bar; 0: none */
};

struct Curve {
    std::string title;
    std::vector<CurvePoint> points;
};

struct Plot {
    std::string title, x, y;
    bool unit_square; /* both axes from 0 to 1, with the diagonal */
    bool logarithmic; /* the y axis */
    std::vector<Curve> curves;
};

/* Curves without points are left out. Says so on stderr when gnuplot is missing or fails. */
void draw_plot(const std::string &path, const Plot &plot);

#endif
