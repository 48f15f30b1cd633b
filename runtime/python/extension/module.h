/* What the sources of the extension module share. Python's stable interface of 3.11 and nothing
 * newer, so that one file serves every Python from 3.11 on; it has the buffer protocol, by which
 * arrays come in without numpy at build time.
 *
 * Order in every call: all arguments are read first, which may run code of the caller's (an
 * __array__, an __index__) that closes files; then the trees are taken into use, and from there to
 * their return no Python code runs but the function of a filter, which changes nothing that the
 * call holds: files that it closes stay until they are given back. */
#ifndef KILN_PYTHON_MODULE_H
#define KILN_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kiln.h"
#include "../../kiln_self.h"

/* A function in a slot of a type, and one with keywords in a table of methods. ISO C has no
 * conversion of the first kind, POSIX does. */
#define SLOT(function) (__extension__(void *)(function))
#define FAST(function) ((PyCFunction)(void (*)(void))(function))

/* ------------------------------------------------------------------------------- module.c -- */

/* What the Python side of the package gives to this one, once, by `register`. */
typedef struct {
    PyObject *error;   /* error(status, text, path) -> an exception */
    PyObject *wrap;    /* wrap(bytearray, name of the record, shape) -> a numpy array */
    PyObject *convert; /* convert(object, name of the type) -> a C-contiguous numpy array */
    PyObject *places;  /* a tuple of kiln.Place */
    PyObject *source;  /* kiln.Source */
} python_side;
extern python_side python;

typedef struct {
    const char *function;
    const char *const *names; /* [count] */
    int required;             /* of the positional ones, that must be given */
    int positional;           /* that may be given by position */
    int count;
} signature;

/* Sorts the arguments of a call into out[count], NULL where one is not given; borrowed. False:
 * TypeError. */
bool arguments_of(const signature *wanted, PyObject *const *args, Py_ssize_t given,
                  PyObject *keywords, PyObject **out);

/* Sets the exception of a status, with kiln's text and what `detail` adds (NULL: nothing); returns
 * NULL. */
PyObject *raise_status(int status, const char *detail, PyObject *path);

/* Numbers with names, of which an error speaks. */
bool number_of(PyObject *object, const char *name, double *out);

/* A number from 0 to `most`. */
bool length_of(PyObject *object, const char *name, double most, double *out);
bool count_of(PyObject *object, const char *name, uint64_t most, uint64_t *out);
/* Index in the table of the words, ended by NULL, of a string. */
bool word_of(PyObject *object, const char *name, const char *const *words, int *out);

/* Makes a type of the module and adds it under its name. */
PyObject *add_type(PyObject *module, const char *name, PyType_Spec *spec);

bool add_methods(PyObject *module, PyMethodDef *methods);

/* ------------------------------------------------------------------------------ records.c -- */

typedef enum {
    RECORD_HIT,
    RECORD_NEAREST,
    RECORD_PAIR,
    RECORD_CONTACT,
    RECORD_SUMMARY,
    RECORD_WORK,
    RECORD_RAY_HIT,
    RECORD_TRIANGLE_HIT,
    RECORD_LIKELY,
    RECORD_COUNTED,
    RECORD_FIRST,
    RECORD_MINIMUM,
    RECORD_VOLUME,
    RECORD_SELF_PAIR,
    RECORD_SURFACE_POINT,
    RECORD_WINDING_NUMBER,
    RECORD_SHAPE_NEAREST,
    RECORD_REGION_POINT,
    RECORD_REGION,
    RECORD_PLACE,
    RECORD_UNSIGNED,
    RECORD_DOUBLE,
    RECORD_FLOAT,
    RECORD_MASK,
    RECORD_COUNT
} record_kind;

bool add_records(PyObject *module);

/* An object of the record's type, with a copy of `value`. */
PyObject *record_new(record_kind kind, const void *value);

/* The value in an object of the type, or NULL if it is none of it; no exception. */
const void *record_value(record_kind kind, PyObject *object);

/* Memory for an array of records, zeroed: a bytearray, whose bytes are *bytes. Nobody else holds
 * it, so that it may be filled while other threads run. */
PyObject *records_new(record_kind kind, size_t count, void **bytes);

/* Makes a numpy array of it, of `dimensions`; takes the reference, also on error. */
PyObject *records_wrap(record_kind kind, PyObject *bytes, int dimensions, const size_t *shape);

/* Finds into `room` records without the lock of the interpreter, and counts all there are. */
typedef kiln_status (*find_records)(void *asker, void *records, size_t room, size_t *count);
/* An array of all that are found, or of the first `limit`. NULL: an exception; or none yet, and
 * *status says what the query refused. */
PyObject *records_found(record_kind kind, find_records find, void *asker, uint64_t limit,
                        kiln_status *status);

/* Shortens it to the first `count` records. */
bool records_shorten(record_kind kind, PyObject *bytes, size_t count);

/* ------------------------------------------------------------------------------- arrays.c -- */

enum { ARRAY_DIMENSIONS = 3 };

/* Numbers that a caller passes: any object with the buffer protocol, of any strides; everything
 * else becomes a numpy array first. */
typedef struct {
    Py_buffer view;
    /* Of the view, whose exporter may leave the last two out (ctypes does). */
    Py_ssize_t shape[ARRAY_DIMENSIONS], strides[ARRAY_DIMENSIONS];
    bool held;
    char type; /* 'd', 'f', 'I' or '?' */
} array;

/* Takes `object`. `wanted`: 'd' for doubles (floats are taken as they are), 'I' for uint32, '?'
 * for bool. The number of dimensions is from `least` to `most`. False: an exception; nothing is
 * held. */
bool array_take(array *out, PyObject *object, const char *name, char wanted, int least, int most);
void array_release(array *taken);
size_t array_length(const array *of, int dimension);
/* `index` has as many numbers as there are dimensions. */
double array_double(const array *of, const size_t *index);

/* The shape [3] or [n, 3] of vectors; *out receives doubles [3 * count], for free(). `single` says
 * that it was [3]. */
bool vectors_take(PyObject *object, const char *name, double **out, size_t *count, bool *single);
/* [3] */
bool vector_take(PyObject *object, const char *name, double out[3]);
/* A number, or an array [n]; doubles [count] for free(). */
bool numbers_take(PyObject *object, const char *name, double **out, size_t *count, bool *single);

/* Poses: None, a matrix [4,4] or [3,4], or many of them. */
typedef struct {
    kiln_pose one;
    kiln_pose *many; /* [count], of poses_all; else NULL */
    size_t count;
    bool given;  /* not None */
    bool single; /* None, or one matrix */
    array from;  /* of many: the matrices */
    const char *name;
} poses;

bool poses_take(poses *out, PyObject *object, const char *name);
void poses_release(poses *taken);
/* Of many poses, those from `first` on. False: a last row that is not 0 0 0 1. */
bool poses_some(const poses *from, size_t first, size_t count, kiln_pose *to);
/* All of them, to taken->many. */
bool poses_all(poses *taken);
/* Of an argument that is one pose, or NULL for None. */
const kiln_pose *pose_pointer(const poses *taken);
/* As poses_take, and refuses many. */
bool pose_take(poses *out, PyObject *object, const char *name);

/* ------------------------------------------------------------------------------ threads.c -- */

/* Runs `task` for 0 to count - 1 on up to `threads` threads, the calling one included. `user` of
 * the first is a pointer to uint32_t, the number of threads. Without the lock of the interpreter.
 */
void run_parallel(void *user, void (*task)(void *context, uint32_t index), void *context,
                  uint32_t count);
/* The argument `threads`: NULL or 0 for all processors. */
bool threads_of(PyObject *object, uint32_t otherwise, uint32_t *out);

/* --------------------------------------------------------------------------------- file.c -- */

bool add_files(PyObject *module);

/* A file in use is not closed before it is given back. */
typedef struct file_object file_object;
typedef struct {
    file_object *file;
    const kiln_tree *tree;
    PyObject *object; /* that it is of, which may own memory that the tree is in */
} tree_use;

/* Takes the tree of an object into use. TypeError: not a tree; ValueError: its file is closed. */
bool tree_begin(tree_use *out, PyObject *object, const char *name);
void tree_end(tree_use *use);
/* kiln_tree_triangle_limit, looked for once. With the lock of the interpreter. */
uint32_t tree_limit(const tree_use *use);

/* ------------------------------------------------------------------------------ filters.c -- */

enum { FILTER_MESHES = 2 };

/* The argument `filter` of a query: arrays of bools by id, which are read without the lock of the
 * interpreter, or a function, which is called with it on the calling thread. */
typedef struct {
    bool any;
    PyObject *function; /* NULL: masks; the call holds it */
    bool given[FILTER_MESHES];
    array masks[FILTER_MESHES];
    bool raised; /* the function has, and the query is to end */
    PyObject *exception[3];
} filter;

/* Reads the argument, NULL or None for none; of pairs (2 meshes) masks come as a tuple. False: an
 * exception; nothing is held. */
bool filter_take(filter *out, PyObject *object, int meshes);
/* Whether masks are as long as trees want them. False: an exception. */
bool filter_fits(const filter *of, const tree_use *a, const tree_use *b);
/* What goes into options, whose user is the filter. NULL: all count. */
kiln_triangle_filter filter_of_triangles(const filter *of);
kiln_pair_filter filter_of_pairs(const filter *of);
kiln_self_filter filter_of_self(const filter *of);
kiln_stop filter_stop(const filter *of);
/* Of a function: on the calling thread. */
void filter_threads(const filter *of, uint32_t *threads);
/* Whether its function has raised an exception: a kiln_stop. */
bool filter_raised(void *of);
/* Ends a call: returns the result, or, with the exception of its function, NULL. */
PyObject *filter_end(filter *of, PyObject *result);

#define FILTER_DOC                                                                                 \
    "filter: which triangles take part: bool [triangle_limit], by id, not to be changed\n"         \
    "    meanwhile; or a function of (triangle, user value), which is slower.\n"
#define PAIR_FILTER_DOC                                                                            \
    "filter: which pairs count: (bool [a.triangle_limit], bool [b.triangle_limit]), by id, not\n"  \
    "    to be changed meanwhile, None for all of a mesh; or a function of (a, b, value_a,\n"      \
    "    value_b), which is slower.\n"

/* ------------------------------------------------------------------------- mesh_queries.c -- */

/* Asks query i; answers lie in the asker's own arrays. */
typedef kiln_status (*ask_one)(void *asker, size_t i);
/* Asks all of them. False: an exception, of the first that fails. */
bool ask_many(ask_one ask, void *asker, size_t count, uint32_t threads, bool single);

/* What a query refuses of a pose that is one for all of them: asked before the first. */
bool pose_is_good(const kiln_tree *tree, const kiln_pose *pose, const char *name);

/* Numbers of which one serves all queries, or each has its own. */
typedef struct {
    double *values;
    size_t count;
    bool single;
} per_query;

/* For free(), also of those that fail. */
bool per_query_take(per_query *out, PyObject *object, const char *name, bool vector);
/* The number of queries: 1, or that of those that are many. */
bool common_count(const per_query *all, const char *const *names, int count, size_t *out,
                  bool *single);
const double *value_of(const per_query *from, size_t i, size_t width);

/* ------------------------------------------------------------------------- other sources -- */

bool add_pair_queries(PyObject *module);
bool add_batches(PyObject *module);
bool add_mesh_queries(PyObject *module);
bool add_spheres(PyObject *module);
bool add_nearest(PyObject *module);
bool add_winding(PyObject *module);
bool add_shapes(PyObject *module);
bool add_regions(PyObject *module);
bool add_tables(PyObject *module);
bool add_self_contacts(PyObject *module);
bool add_bake(PyObject *module);

/* pair_queries.c: what kiln_pair_options have, of arguments that may be NULL. */
bool pair_options_of(kiln_pair_options *out, PyObject *beyond, PyObject *relative,
                     PyObject *absolute, PyObject *hint);
/* The same of a filter. */
void pair_options_filter(kiln_pair_options *out, filter *of);

/* nearest.c: the exception of a query of many points, which names the first that is refused. NULL.
 */
PyObject *raise_of_points(int status, const double *points, size_t count, bool single);

typedef enum { BATCH_COLLIDE, BATCH_WITHIN, BATCH_DISTANCE } batch_kind;
/* batches.c: many poses of one pair. At least one of both is many. */
PyObject *batch_of_pair(batch_kind kind, PyObject *a, const poses *poses_a, PyObject *b,
                        const poses *poses_b, double distance, const kiln_pair_options *options,
                        const filter *of, uint32_t threads);

#define THREADS_DOC                                                                                \
    "threads: for many poses; 0: one for each processor, the default. Answers do not depend on\n"  \
    "    it.\n"

/* Whether a signal (Ctrl-C) has raised an exception, asked between parts of long work. */
#define SIGNALLED() (PyErr_CheckSignals() != 0)

#endif
