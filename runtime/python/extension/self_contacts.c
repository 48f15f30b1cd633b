/* Where a mesh meets itself. */
#include "module.h"

static const char *const neighbour_words[] = {"beyond", "never", "all", NULL};

typedef struct {
    const kiln_tree *tree;
    const kiln_self_options *options;
} self_asker;

static kiln_status find_self(void *asker, void *pairs, size_t room, size_t *count)
{
    const self_asker *asked = asker;
    return kiln_self_contacts(asked->tree, asked->options, pairs, room, count);
}

PyDoc_STRVAR(
    self_contacts_doc,
    "self_contacts(tree, *, neighbours='beyond', limit=None, filter=None)\n--\n\n"
    "All pairs of triangles of a mesh that meet, in ascending order of (a, b), a < b.\n\n"
    "tree: kiln.Tree (or a kiln.File, for its first tree).\n"
    "neighbours: triangles that share corners, by equal coordinates: 'beyond', where they\n"
    "    have more than these in common; 'never'; 'all'.\n"
    "limit: at most so many.\n"
    "filter: which pairs count: bool [triangle_limit], by id, where both triangles are True,\n"
    "    not to be changed meanwhile; or a function of (a, b, value_a, value_b), slower.\n\n"
    "Returns a structured array [n] with the fields of kiln.SelfPair.");
static PyObject *module_self_contacts(PyObject *module, PyObject *const *args, Py_ssize_t given,
                                      PyObject *keywords)
{
    static const char *const names[] = {"tree", "neighbours", "limit", "filter"};
    static const signature wanted = {"self_contacts", names, 1, 1, 4};
    PyObject *in[4];
    kiln_self_options options = kiln_self_options_default();
    uint64_t limit = SIZE_MAX;
    tree_use use;
    int word = 0;
    filter of;
    (void)module;
    if (!arguments_of(&wanted, args, given, keywords, in) ||
        (in[1] != NULL && !word_of(in[1], "neighbours", neighbour_words, &word)) ||
        (in[2] != NULL && in[2] != Py_None && !count_of(in[2], "limit", SIZE_MAX, &limit)) ||
        !filter_take(&of, in[3], 1)) {
        return NULL;
    }
    if (!tree_begin(&use, in[0], "tree")) {
        return filter_end(&of, NULL);
    }
    if (!filter_fits(&of, &use, NULL)) {
        tree_end(&use);
        return filter_end(&of, NULL);
    }
    options.filter = filter_of_self(&of);
    options.stop = filter_stop(&of);
    options.filter_user = options.stop_user = &of;
    options.neighbours = (kiln_neighbours)word;
    self_asker asker = {use.tree, &options};
    kiln_status status;
    PyObject *pairs = records_found(RECORD_SELF_PAIR, find_self, &asker, limit, &status);
    if (status != KILN_OK) {
        raise_status((int)status, NULL, NULL);
    }
    tree_end(&use);
    return filter_end(&of, pairs);
}

bool add_self_contacts(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"self_contacts", FAST(module_self_contacts), METH_FASTCALL | METH_KEYWORDS,
         self_contacts_doc},
        {NULL, NULL, 0, NULL},
    };
    return add_methods(module, functions);
}
