/* How methods look: one table, so that a method has one colour, dash and marker in every figure of
 * every verb. Colours are those that people with any colour vision can distinguish (Okabe and Ito
 * 2008); relatives share one and differ by dash and marker, so that figures can be read in print
 * without colours, too. */
#include "figure.h"

#include <string.h>

#define BLUE "#0072b2"
#define VERMILION "#d55e00"
#define GREEN "#009e73"
#define PINK "#cc79a7"
#define ORANGE "#e69f00"
#define SKY "#56b4e9"
#define BLACK "#000000"
#define GREY "#777777"

#define SOLID "1"
#define DASHED "(8,4)"
#define DOTTED "(2,3)"
#define MIXED "(8,3,2,3)"

/* Markers of gnuplot that all three terminals draw alike. */
enum {
    PLUS = 1,
    CROSS = 2,
    SQUARE = 4,
    SQUARE_FULL = 5,
    CIRCLE = 6,
    CIRCLE_FULL = 7,
    UP = 8,
    UP_FULL = 9,
    DOWN = 10,
    DOWN_FULL = 11,
    DIAMOND = 12,
    DIAMOND_FULL = 13
};

/* A name that begins with `name` has the row's style: rows that are longer come first. */
static const struct {
    const char *name;
    figure_style style;
} methods[] = {
    /* Kinds of trees. */
    {"obb2", {BLUE, DASHED, CIRCLE}},
    {"obb", {BLUE, SOLID, CIRCLE_FULL}},
    {"aabb2", {VERMILION, DASHED, SQUARE}},
    {"aabb", {VERMILION, SOLID, SQUARE_FULL}},
    {"dop6", {GREEN, SOLID, UP_FULL}},
    {"dop14", {GREEN, DASHED, UP}},
    {"dop18", {GREEN, DOTTED, DOWN_FULL}},
    {"dop24", {GREEN, MIXED, DOWN}},
    {"dop26", {GREY, SOLID, UP}},
    {"sphere", {PINK, SOLID, DIAMOND_FULL}},
    {"octree", {ORANGE, SOLID, DIAMOND}},
    /* Exact methods beside time-critical queries, and these. */
    {"24-dop", {GREEN, MIXED, DOWN}},
    {"24-DOP", {GREEN, MIXED, DOWN}},
    {"exact, same tree", {BLACK, SOLID, PLUS}},
    {"truncated obb2", {ORANGE, DASHED, UP}},
    {"truncated obb", {ORANGE, SOLID, UP_FULL}},
    {"adb default", {VERMILION, SOLID, CIRCLE_FULL}},
    {"adb fast", {PINK, DASHED, SQUARE_FULL}},
    {"adb careful", {SKY, DOTTED, DIAMOND_FULL}},
    {"adb, 64 pairs", {GREY, MIXED, CROSS}},
    {"adb as published", {BLUE, DASHED, SQUARE}},
    /* Engines of dynamic worlds. */
    {"all pairs, SIMD", {GREY, DASHED, PLUS}},
    {"all pairs", {GREY, SOLID, CROSS}},
    {"grid", {ORANGE, SOLID, SQUARE_FULL}},
    {"auto", {BLACK, SOLID, CIRCLE_FULL}},
    {"sweep, 3 axes", {SKY, SOLID, UP_FULL}},
    {"sweep, 14-DOP", {GREEN, DASHED, UP}},
    {"VADOP, published", {BLUE, DASHED, DIAMOND}},
    {"VADOP", {BLUE, SOLID, DIAMOND_FULL}},
    /* Terms of the cost function. */
    {"C, ", {BLUE, SOLID, SQUARE_FULL}},
    {"Nu Cu", {VERMILION, SOLID, SQUARE_FULL}},
    {"Nv Cv", {GREEN, SOLID, SQUARE_FULL}},
    {"Np Cp", {ORANGE, SOLID, SQUARE_FULL}},
    {"measured", {BLACK, SOLID, DIAMOND_FULL}},
    /* Of two moving objects. */
    {"first velocity", {GREEN, SOLID, UP_FULL}},
    {"second velocity", {BLUE, SOLID, SQUARE_FULL}},
    {"both velocities", {VERMILION, SOLID, DIAMOND_FULL}},
    {"neither velocity", {GREY, SOLID, CIRCLE_FULL}},
};

/* What is no method: scenes, sizes, sets of samples, factors of a product. */
static const figure_style others[] = {
    {BLUE, SOLID, CIRCLE_FULL},    {VERMILION, DASHED, SQUARE_FULL},
    {GREEN, MIXED, UP_FULL},       {PINK, DOTTED, DOWN_FULL},
    {ORANGE, SOLID, DIAMOND_FULL}, {SKY, DASHED, CIRCLE},
    {BLACK, MIXED, SQUARE},        {GREY, DOTTED, UP},
    {BLUE, DOTTED, DOWN},          {VERMILION, SOLID, PLUS},
    {GREEN, DASHED, CROSS},        {PINK, SOLID, DIAMOND},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

figure_style figure_style_of(const char *name, unsigned number)
{
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (strncmp(name, methods[i].name, strlen(methods[i].name)) == 0) {
            return methods[i].style;
        }
    }
    return others[number % COUNT(others)];
}
