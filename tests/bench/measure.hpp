/* What the benchmarks share: the subjects, a clock, the options, and where a figure was taken. */
#ifndef KILN_BENCH_MEASURE_HPP
#define KILN_BENCH_MEASURE_HPP

#include "shapes.h"

#include <cstdio>
#include <string>
#include <vector>

struct Subject {
    std::string name;
    mesh geometry;
    double size; /* longest side of the box */
    double lower[3], upper[3];
};

struct Options {
    bool quick = false;
    std::string csv;                 /* "": none */
    std::vector<std::string> meshes; /* empty: all */
};

/* Ends the program on a wrong command line, and after --help. */
Options parse_options(int count, char **arguments);

/* Those wanted, in a fixed order, procedural first. Real models that are not installed are named on
 * stdout and left out. */
std::vector<Subject> make_subjects(const Options &options);
void free_subjects(std::vector<Subject> &subjects);

/* Nanoseconds since some moment. */
double now();

/* Least difference of two calls of now(): part of every short measurement. */
double clock_cost();

double mean_of(const std::vector<double> &values);
double median_of(std::vector<double> values);
double geometric_mean(const std::vector<double> &values);

/* B's pose: rotated by `rotation` about the middle of its box, which is then moved by `distance`
 * sizes along the unit vector `direction`. */
kiln_pose place(const Subject &subject, const double rotation[9], const double direction[3],
                double distance);

/* Processor, compiler flags and commit as comment lines, each preceded by `prefix`. */
void print_origin(std::FILE *out, const char *prefix, const char *program);

/* `path` opened for writing, with the origin at its top, or NULL for "". */
std::FILE *open_csv(const std::string &path, const char *program);
/* Ends the program with a message when something was not written. */
void close_csv(std::FILE *csv, const std::string &path);

#endif
