/* A model of a few triangles, given as text, with what has to come of it. */
#ifndef KILN_TEST_SMALL_MODELS_H
#define KILN_TEST_SMALL_MODELS_H

#include <stddef.h>

typedef struct {
    const char *about, *format, *text;
    size_t size;      /* 0: up to the zero byte */
    int triangles;    /* -1: refused as invalid; -2: as unsupported */
    double area;      /* of the triangles */
    const char *says; /* in the error or in a warning; NULL: no warning */
} small_model;

/* More of it. */
typedef struct {
    double volume;    /* signed */
    double bounds[6]; /* the least of x, y and z, and the greatest */
} small_shape;

/* For a text with zero bytes: the members text and size. */
#define WITH_SIZE(text) text, sizeof text - 1

/* Imports the model, and fails the test unless it is what the row says, and has the shape, which
 * may be NULL. */
void small_model_check(const small_model *row, const small_shape *shape);

#endif
