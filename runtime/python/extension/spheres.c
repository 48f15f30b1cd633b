/* Robots as spheres, many configurations in one call. */
#include "module.h"

#include "../../kiln_spheres.h"

#include <stdlib.h>
#include <string.h>

/* Between two looks at signals. */
enum { SPHERES_AT_ONCE = 1 << 18 };

/* What a call reads before trees are taken into use. */
typedef struct {
    double *centres, *radii, *numbers; /* the last: x, y, z and radius */
    uint32_t *links;
    kiln_spheres of;
    poses where;
    size_t configurations;
} robot;

static void robot_release(robot *r)
{
    free(r->centres);
    free(r->radii);
    free(r->numbers);
    free(r->links);
    poses_release(&r->where);
}

static bool links_take(robot *r, PyObject *object)
{
    array taken;
    const size_t count = r->of.count;
    r->of.link_count = 1;
    if (object == NULL || object == Py_None) {
        return true;
    }
    if (!array_take(&taken, object, "links", 'I', 1, 1)) {
        return false;
    }
    bool good = array_length(&taken, 0) == count;
    if (!good) {
        PyErr_Format(PyExc_ValueError, "links has %zu entries, and centres %zu",
                     array_length(&taken, 0), count);
    } else if ((r->links = malloc((count + 1) * sizeof *r->links)) == NULL) {
        PyErr_NoMemory();
        good = false;
    }
    for (size_t i = 0; i < count && good; i++) {
        memcpy(&r->links[i], (const char *)taken.view.buf + (Py_ssize_t)i * taken.strides[0],
               sizeof *r->links);
        good = r->links[i] < UINT32_MAX;
        if (!good) {
            PyErr_Format(PyExc_ValueError, "links[%zu] is too large", i);
        } else if (r->links[i] >= r->of.link_count) {
            r->of.link_count = r->links[i] + 1;
        }
    }
    r->of.link = r->links;
    array_release(&taken);
    return good;
}

static bool robot_take(robot *r, PyObject *centres, PyObject *radii, PyObject *where,
                       PyObject *links)
{
    size_t count, radius_count;
    bool single, one_radius;
    if (!vectors_take(centres, "centres", &r->centres, &count, &single) ||
        !numbers_take(radii, "radii", &r->radii, &radius_count, &one_radius)) {
        return false;
    }
    if (!one_radius && radius_count != count) {
        PyErr_Format(PyExc_ValueError, "radii has %zu entries, and centres %zu", radius_count,
                     count);
        return false;
    }
    r->numbers = malloc((4 * count + 1) * sizeof *r->numbers);
    if (r->numbers == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++) {
            r->numbers[k * count + i] = r->centres[3 * i + k];
        }
        r->numbers[3 * count + i] = r->radii[one_radius ? 0 : i];
    }
    r->of = (kiln_spheres){
        r->numbers, r->numbers + count, r->numbers + 2 * count, r->numbers + 3 * count, count, NULL,
        1};
    if (!links_take(r, links) || !poses_take(&r->where, where, "poses") || !poses_all(&r->where)) {
        return false;
    }
    r->configurations = 1;
    if (r->where.single) {
        if (r->where.given && r->of.link_count != 1) {
            PyErr_Format(PyExc_ValueError, "poses is one, and there are %u links",
                         (unsigned)r->of.link_count);
            return false;
        }
        return true;
    }
    if (r->where.count % r->of.link_count != 0) {
        PyErr_Format(PyExc_ValueError,
                     "poses has %zu entries, no whole number of configurations of %u links",
                     r->where.count, (unsigned)r->of.link_count);
        return false;
    }
    r->configurations = r->where.count / r->of.link_count;
    return true;
}

/* Answers into bytes of spheres, or into the first sphere of each configuration. */
static bool ask_robot(const robot *r, const kiln_tree *tree, const kiln_pose *pose, filter *of,
                      uint32_t threads, uint8_t *each, uint32_t *first)
{
    const size_t step = 1 + SPHERES_AT_ONCE / (r->of.count + 1);
    const kiln_pose *where = r->where.single ? pose_pointer(&r->where) : r->where.many;
    kiln_spheres_options options = kiln_spheres_options_default();
    kiln_spheres_hit *hits = NULL;
    bool good = true;
    options.filter = filter_of_triangles(of);
    options.filter_user = of;
    options.parallel = threads > 1 ? run_parallel : NULL;
    options.parallel_user = &threads;
    if (first != NULL && (hits = malloc(step * sizeof *hits)) == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t done = 0; done < r->configurations && good; done += step) {
        const size_t left = r->configurations - done, now = left < step ? left : step;
        const kiln_pose *from = where == NULL ? NULL : where + done * r->of.link_count;
        kiln_status status;
        Py_BEGIN_ALLOW_THREADS if (first != NULL)
        {
            status = kiln_spheres_any(tree, pose, &r->of, from, now, &options, hits);
        }
        else
        {
            status = kiln_spheres_each(tree, pose, &r->of, from, now, &options,
                                       each + done * r->of.count, NULL);
        }
        Py_END_ALLOW_THREADS if (status != KILN_OK || of->raised)
        {
            raise_status((int)status, "a pose, a centre or a radius", NULL);
            good = false;
        }
        for (size_t i = 0; i < now && good && first != NULL; i++) {
            first[done + i] = hits[i].found ? hits[i].sphere : (uint32_t)r->of.count;
        }
        good = good && !(left > now && SIGNALLED());
    }
    free(hits);
    return good;
}

PyDoc_STRVAR(
    spheres_doc,
    "spheres(tree, centres, radii, poses=None, links=None, pose=None, *, find='any',\n"
    "        filter=None, threads=0)\n--\n\n"
    "Which spheres of a robot meet a mesh or a set of points, in many configurations; touching\n"
    "is meeting.\n\n"
    "tree: kiln.Tree; pose: where it is, None, [4, 4] or [3, 4].\n"
    "centres: float64 [n, 3], each in the frame of its link; radii: a number or [n].\n"
    "links: uint32 [n], the link of each sphere, from 0; None: all are of one.\n"
    "poses: of the links: [4, 4], or [c * links, 4, 4], all of a configuration before the next;\n"
    "    [3, 4] likewise; None: one configuration, at the identity.\n"
    "find: 'any': the first sphere that meets; 'each': all.\n" FILTER_DOC
    "threads: for many configurations; 0: one for each processor, the default.\n\n"
    "Returns for 'any' uint32 [c], the index of a sphere or n where none meets; for 'each'\n"
    "uint8 [c, n], 1 or 0.");
static PyObject *module_spheres(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                PyObject *keywords)
{
    static const char *const names[] = {"tree", "centres", "radii",   "poses", "links",
                                        "pose", "find",    "threads", "filter"};
    static const signature wanted = {"spheres", names, 3, 6, 9};
    static const char *const finds[] = {"any", "each", NULL};
    PyObject *in[9];
    robot r;
    filter of;
    poses pose;
    tree_use use = {.file = NULL};
    int find = 0;
    uint32_t threads = 0;
    void *bytes = NULL;
    PyObject *memory = NULL, *result = NULL;
    (void)module;
    memset(&r, 0, sizeof r);
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[6] != NULL && !word_of(in[6], "find", finds, &find)) ||
        !threads_of(in[7], 0, &threads) || !pose_take(&pose, in[5], "pose") ||
        !filter_take(&of, in[8], 1)) {
        return NULL;
    }
    filter_threads(&of, &threads);
    if (robot_take(&r, in[1], in[2], in[3], in[4])) {
        const record_kind kind = find == 1 ? RECORD_PLACE : RECORD_UNSIGNED;
        const size_t shape[2] = {r.configurations, r.of.count};
        if (r.of.count != 0 && r.configurations > (size_t)PY_SSIZE_T_MAX / 8 / r.of.count) {
            PyErr_NoMemory();
        } else {
            memory = records_new(kind, find == 1 ? shape[0] * shape[1] : shape[0], &bytes);
        }
        if (memory != NULL && tree_begin(&use, in[0], "tree") && filter_fits(&of, &use, NULL) &&
            ask_robot(&r, use.tree, pose_pointer(&pose), &of, threads, find == 1 ? bytes : NULL,
                      find == 1 ? NULL : bytes)) {
            result = records_wrap(kind, memory, find == 1 ? 2 : 1, shape);
            memory = NULL;
        }
    }
    tree_end(&use);
    Py_XDECREF(memory);
    robot_release(&r);
    return filter_end(&of, result);
}

bool add_spheres(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"spheres", FAST(module_spheres), METH_FASTCALL | METH_KEYWORDS, spheres_doc},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
