/* What a probability of filled bins costs: from the evaluator that is built in, and from every
 * table file that is named, in one run.
 *
 * bench_bins [--quick] [--csv FILE] [TABLE.kiln...]
 *
 * Questions, all with u <= 512: `uniform` u, v and w; `query`, each magnitude of u, v <= u and w <=
 * u as likely as another, as for the nodes of two trees; `few`, uniform with a mean v w / u of at
 * most 8, where probabilities are between 0 and 1. Ways of evaluation: `warm`, one after another
 * over 16,384 questions, so at random in a table; `chained`, each question waits for the last
 * answer; `cold`, in groups of 32 after 64 MiB of other memory were touched. A figure is the least
 * over the rounds (cold: the median of the groups), through the public call. */
#include "measure.hpp"
#include "../../runtime/kiln_adb.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace
{

struct Question {
    uint32_t u, v, w;
    double s, sa, sb; /* about u, v, w, with fractions */
};

/* SplitMix64 (Steele, Lea and Flood 2014). */
class Random
{
  public:
    double unit()
    {
        state += 0x9e3779b97f4a7c15u;
        uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    /* Up to and without `limit`. */
    double uniform(double limit)
    {
        return unit() * limit;
    }
    /* From 1 to `limit`, each magnitude as likely as another. */
    double magnitude(double limit)
    {
        return std::exp2(unit() * std::log2(std::max(limit, 1.0)));
    }

  private:
    uint64_t state = 1;
};

Question make_question(Random &random, const std::string &kind)
{
    Question q;
    do {
        const bool by_magnitude = kind == "query";
        q.s = by_magnitude ? random.magnitude(512) : 1 + random.uniform(511);
        q.sa = std::min(q.s, by_magnitude ? random.magnitude(q.s) : random.uniform(q.s));
        q.sb = std::min(q.s, by_magnitude ? random.magnitude(q.s) : random.uniform(q.s));
    } while (kind == "few" && q.sa * q.sb > 8 * q.s);
    q.u = static_cast<uint32_t>(q.s);
    q.v = static_cast<uint32_t>(q.sa);
    q.w = static_cast<uint32_t>(q.sb);
    return q;
}

std::vector<Question> make_questions(const std::string &kind)
{
    Random random;
    std::vector<Question> questions(16384);
    for (Question &q : questions) {
        q = make_question(random, kind);
    }
    return questions;
}

/* One call on one question; `more` is 0, but only the last answer knows. */
using Evaluate = double (*)(const kiln_bins *table, const Question &q, uint32_t more);

void check(kiln_status status)
{
    if (status != KILN_OK) {
        std::fprintf(stderr, "a question failed: %s\n", kiln_status_text(status));
        std::exit(2);
    }
}

double query_ten(const kiln_bins *table, const Question &q, uint32_t more)
{
    double p[10];
    check(kiln_bins_probabilities(table, q.u, q.v + more, q.w, 10, p));
    return p[0] + p[9];
}

template <kiln_bins_rounding Mode>
double query_ten_real(const kiln_bins *table, const Question &q, uint32_t more)
{
    double p[10];
    check(kiln_bins_probabilities_real(table, q.s, q.sa + more, q.sb, Mode, 10, p));
    return p[0] + p[9];
}

template <kiln_bins_rounding Mode>
double query_bound(const kiln_bins *table, const Question &q, uint32_t more)
{
    double p;
    check(kiln_bins_collision_bound(table, q.s, q.sa + more, q.sb, 0.3, Mode, nullptr, &p));
    return p;
}

template <kiln_bins_rounding Mode>
double query_expected(const kiln_bins *, const Question &q, uint32_t more)
{
    double p;
    check(kiln_bins_collision_expected(q.s, q.sa + more, q.sb, 0.3, Mode, &p));
    return p;
}

double warm(Evaluate evaluate, const kiln_bins *table, const std::vector<Question> &questions,
            int rounds)
{
    double least = HUGE_VAL, sum = 0;
    for (int round = 0; round < rounds; round++) {
        const double before = now();
        for (const Question &q : questions) {
            sum += evaluate(table, q, 0);
        }
        least = std::min(least, now() - before);
    }
    return sum < 0 ? 0 : least / static_cast<double>(questions.size());
}

double chained(Evaluate evaluate, const kiln_bins *table, const std::vector<Question> &questions,
               int rounds)
{
    double least = HUGE_VAL;
    for (int round = 0; round < rounds; round++) {
        uint32_t more = 0;
        const double before = now();
        for (const Question &q : questions) {
            more = evaluate(table, q, more) > 3 ? 1 : 0;
        }
        least = std::min(least, now() - before);
    }
    return least / static_cast<double>(questions.size());
}

double cold(Evaluate evaluate, const kiln_bins *table, const std::vector<Question> &questions,
            int rounds)
{
    static std::vector<char> other(64u << 20);
    const int group = 32;
    std::vector<double> times;
    double sum = 0;
    size_t next = 0;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < other.size(); i += 64) {
            other[i]++;
        }
        const double before = now();
        for (int i = 0; i < group; i++) {
            sum += evaluate(table, questions[next++ % questions.size()], 0);
        }
        times.push_back(now() - before - clock_cost());
    }
    return sum < 0 ? 0 : median_of(times) / group;
}

struct Call {
    const char *name;
    Evaluate evaluate;
    bool of_table;
};

const Call calls[] = {
    {"ten values", query_ten, true},
    {"ten, real, lower", query_ten_real<KILN_BINS_LOWER>, true},
    {"ten, real, interpolated", query_ten_real<KILN_BINS_INTERPOLATED>, true},
    {"Equation 8, lower", query_bound<KILN_BINS_LOWER>, true},
    {"Equation 8, interpolated", query_bound<KILN_BINS_INTERPOLATED>, true},
    {"expectation, lower", query_expected<KILN_BINS_LOWER>, false},
    {"expectation, interpolated", query_expected<KILN_BINS_INTERPOLATED>, false},
};

class Report
{
  public:
    Report(const std::string &path, const char *program, int rounds)
        : csv(open_csv(path, program)), rounds(rounds)
    {
        if (csv != nullptr) {
            std::fprintf(csv,
                         "table,bytes,certificate,call,questions,warm_ns,chained_ns,cold_ns\n");
        }
        std::printf("%-26s %-10s %8s %8s %8s\n", "call", "questions", "warm", "chained",
                    "cold, ns");
    }
    void finish(const std::string &path)
    {
        close_csv(csv, path);
    }
    void measure(const kiln_bins *table)
    {
        const kiln_bins_info info = kiln_bins_get_info(table);
        std::printf("%s: %.1f MB, certificate %.3g\n", info.profile,
                    static_cast<double>(info.bytes) / 1e6, info.certificate);
        for (const Call &call : calls) {
            for (const char *kind : {"uniform", "query", "few"}) {
                if (call.of_table || table == nullptr) {
                    row(table, info, call, kind);
                }
            }
        }
    }

  private:
    void row(const kiln_bins *table, const kiln_bins_info &info, const Call &call, const char *kind)
    {
        const std::vector<Question> questions = make_questions(kind);
        const double w = warm(call.evaluate, table, questions, rounds);
        const double h = chained(call.evaluate, table, questions, rounds);
        const double c = cold(call.evaluate, table, questions, rounds);
        std::printf("%-26s %-10s %8.1f %8.1f %8.1f\n", call.name, kind, w, h, c);
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%llu,%.6g,\"%s\",%s,%.2f,%.2f,%.2f\n", info.profile,
                         static_cast<unsigned long long>(info.bytes), info.certificate, call.name,
                         kind, w, h, c);
        }
    }

    std::FILE *csv;
    int rounds;
};

/* A table, or the end of the program. */
kiln_bins *open_table(const std::string &path, uint32_t flags)
{
    kiln_open_options options = kiln_open_options_default();
    options.flags = flags;
    kiln_bins *table = nullptr;
    const kiln_status status = kiln_bins_open(path.c_str(), &options, &table);
    if (status != KILN_OK) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), kiln_status_text(status));
        std::exit(2);
    }
    return table;
}

/* Least microseconds to open and close. */
double time_of_opening(const std::string &path, uint32_t flags, int rounds)
{
    double least = HUGE_VAL;
    for (int round = 0; round < rounds; round++) {
        const double before = now();
        kiln_bins_close(open_table(path, flags));
        least = std::min(least, now() - before);
    }
    return least / 1e3;
}

void usage(std::FILE *out)
{
    std::fprintf(out, "usage: bench_bins [--quick] [--csv FILE] [TABLE.kiln...]\n");
}

} // namespace

int main(int count, char **arguments)
{
    std::string csv;
    std::vector<std::string> tables;
    int rounds = 40;
    for (int i = 1; i < count; i++) {
        const std::string argument = arguments[i];
        if (argument == "--quick") {
            rounds = 5;
        } else if (argument == "--csv" && i + 1 < count) {
            csv = arguments[++i];
        } else if (argument == "--help") {
            usage(stdout);
            return 0;
        } else if (argument.compare(0, 1, "-") == 0) {
            usage(stderr);
            return 2;
        } else {
            tables.push_back(argument);
        }
    }
    print_origin(stdout, "", arguments[0]);
    Report report(csv, arguments[0], rounds);
    report.measure(nullptr);
    for (const std::string &path : tables) {
        std::printf("open: trusted %.1f us, verified %.1f us\n",
                    time_of_opening(path, KILN_OPEN_TRUSTED, rounds), time_of_opening(path, 0, 3));
        kiln_bins *table = open_table(path, 0);
        report.measure(table);
        kiln_bins_close(table);
    }
    report.finish(csv);
    return 0;
}
