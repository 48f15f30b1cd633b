/* The methods of Li and Chen: separation_runs.h over the volumes of two binary trees, which are
 * boxes or balls.
 *
 * The slides say "N2 is larger than N1" and leave open by what measure: of balls it is the radius,
 * of boxes half the surface, as in the plain walk (pair_walk.c). A leaf is never opened, however
 * large it is. Two leaves are tested as volumes first, then triangle by triangle: the slides'
 * algorithm, as printed, lacks the test of volumes, without which it would compare all pairs of
 * triangles.
 *
 * What is remembered are pairs of volumes alone, so no motion and no scale has to be looked at, and
 * nothing is said of free motion. */
#include "front.h"

#include "balls.h"
#include "binary_pair.h"
#include "separation_runs.h"

typedef struct {
    kiln_separation list;
    kiln_ball *a, *b;                /* where volumes are balls; one array if the trees are one */
    kiln_binary_tree tree_a, tree_b; /* where they are boxes */
} separation_index;

/* ------------------------------------------------------------------------------------ memory -- */

/* Two trees that pass each other closely have up to twelve pairs for each node of the smaller one:
 * bench_separation, deferred lists, steps of the full size. */
enum {
    SEPARATION_PAIRS_A_NODE = 16,
    SEPARATION_PAIRS_LEAST = 1024,
    SEPARATION_PAIRS_MOST = 1 << 18
};

static uint32_t separation_capacity(const kiln_tree *a, const kiln_tree *b,
                                    const kiln_front_options *options)
{
    const uint32_t of_a = a->view.entry->node_count, of_b = b->view.entry->node_count;
    const uint64_t pays = SEPARATION_PAIRS_A_NODE * (uint64_t)(of_a < of_b ? of_a : of_b);
    if (options->method == KILN_FRONT_RECURSIVE) {
        return 0;
    }
    if (options->capacity != 0) {
        return options->capacity;
    }
    return pays < SEPARATION_PAIRS_LEAST  ? SEPARATION_PAIRS_LEAST
           : pays > SEPARATION_PAIRS_MOST ? SEPARATION_PAIRS_MOST
                                          : (uint32_t)pays;
}

/* Where the parts of the index begin. */
typedef struct {
    size_t a, b, pairs, spare, size;
} separation_parts;

static size_t separation_line(size_t size)
{
    return (size + KILN_FRONT_ALIGNMENT - 1) / KILN_FRONT_ALIGNMENT * KILN_FRONT_ALIGNMENT;
}

static separation_parts separation_parts_of(const kiln_tree *a, const kiln_tree *b,
                                            const kiln_front_options *options)
{
    const size_t list =
        separation_line(separation_capacity(a, b, options) * sizeof(kiln_volume_pair));
    separation_parts at;
    at.a = at.b = separation_line(sizeof(separation_index));
    at.pairs = at.a;
    if (options->balls) {
        at.b = a == b ? at.a : at.a + separation_line(kiln_balls_count(a) * sizeof(kiln_ball));
        at.pairs = at.b + separation_line(kiln_balls_count(b) * sizeof(kiln_ball));
    }
    at.spare = at.pairs + list;
    at.size = at.spare + list;
    return at;
}

static size_t separation_size(const kiln_tree *a, const kiln_tree *b,
                              const kiln_front_options *options)
{
    return separation_parts_of(a, b, options).size;
}

/* Volumes have numbers of 32 bits, and all of their balls must be within what a size_t counts. */
static bool separation_takes(const kiln_tree *a, const kiln_tree *b,
                             const kiln_front_options *options)
{
    const uint64_t most = SIZE_MAX / 16 / sizeof(kiln_ball);
    return (options->balls ? a->view.kind->lanes == 2 && b->view.kind->lanes == 2
                           : kiln_binary_takes(a, b)) &&
           a->view.entry->node_count <= KILN_BALLS_NODES_MOST &&
           b->view.entry->node_count <= KILN_BALLS_NODES_MOST &&
           (uint64_t)a->view.entry->node_count + b->view.entry->node_count <= most;
}

static void separation_reset(kiln_front *front)
{
    separation_index *index = (separation_index *)front->index;
    kiln_separation_forget(&index->list);
}

/* Also after trees were refitted: what is computed of them is computed anew. */
static void separation_place(kiln_front *front, uint8_t *memory)
{
    const separation_parts at = separation_parts_of(front->a, front->b, &front->options);
    separation_index *index = (separation_index *)(void *)memory;
    memset(index, 0, sizeof *index);
    front->index = index;
    index->a = (kiln_ball *)(void *)(memory + at.a);
    index->b = (kiln_ball *)(void *)(memory + at.b);
    index->list.pairs = (kiln_volume_pair *)(void *)(memory + at.pairs);
    index->list.spare = (kiln_volume_pair *)(void *)(memory + at.spare);
    index->list.capacity = separation_capacity(front->a, front->b, &front->options);
    index->list.patience = front->options.method == KILN_FRONT_SEPARATION_DEFERRED ? 2 : 1;
    front->counts.capacity = index->list.capacity;
    if (!front->options.balls) {
        kiln_binary_tree_form(&index->tree_a, front->a);
        kiln_binary_tree_form(&index->tree_b, front->b);
        return;
    }
    kiln_balls_make(front->a, index->a);
    if (front->b != front->a) {
        kiln_balls_make(front->b, index->b);
    }
}

/* ----------------------------------------------------------------------------------- queries -- */

/* The query in hand. Numbers of volumes are those of balls.h; binary_pair.h has them less by 1. */
typedef struct {
    const kiln_pair_frame *frame;
    const kiln_pair_visitor *visitor;
    bool swapped;
    uint64_t volume_tests, leaf_tests;
    kiln_leaf_pair leaves;
} separation_query;

static void separation_begin(const kiln_front *front, const kiln_pair_visitor *visitor,
                             separation_query *q)
{
    q->frame = &front->frame;
    q->visitor = visitor;
    q->swapped = front->frame.swapped;
    q->volume_tests = q->leaf_tests = 0;
    kiln_leaf_pair_begin(&q->leaves, kiln_kernel_active());
}

static void separation_end(kiln_front *front, const separation_query *q)
{
    front->counts.volume_tests += q->volume_tests;
    front->counts.leaf_tests += q->leaf_tests;
}

static inline kiln_pair_answer separation_leaves(separation_query *q, kiln_contents of_a,
                                                 kiln_contents of_b)
{
    q->leaf_tests++;
    return kiln_leaf_pair_meet(&q->leaves, q->frame, q->visitor, q->swapped ? of_b : of_a,
                               q->swapped ? of_a : of_b)
               ? KILN_PAIR_STAYS
               : KILN_PAIR_ENOUGH;
}

/* The volumes below the one of A, or of B, against the other one: those from `first` on whose bits
 * are set. */
static inline unsigned separation_open(bool opens_a, uint32_t first, uint32_t lanes,
                                       kiln_volume_pair pair, kiln_volume_pair below[2])
{
    unsigned count = 0;
    for (uint32_t lane = 0; lane < 2; lane++) {
        if ((lanes >> lane & 1) != 0) {
            below[count] = pair;
            *(opens_a ? &below[count].a : &below[count].b) = first + lane;
            count++;
        }
    }
    return count;
}

typedef struct {
    separation_query all;
    kiln_balls_frame by;
    const kiln_ball *a, *b;
} ball_query;

static inline kiln_pair_answer test_balls(void *recursion, kiln_volume_pair pair,
                                          kiln_volume_pair below[2], unsigned *count)
{
    ball_query *q = (ball_query *)recursion;
    const kiln_ball *a = q->a + pair.a, *b = q->b + pair.b;
    const kiln_ball *x = q->all.swapped ? b : a, *y = q->all.swapped ? a : b;
    q->all.volume_tests++;
    if (kiln_balls_are_apart(&q->by, x, y)) {
        return KILN_PAIR_STAYS;
    }
    const bool is_leaf_a = kiln_ball_is_leaf(a), is_leaf_b = kiln_ball_is_leaf(b);
    if (is_leaf_a && is_leaf_b) {
        return separation_leaves(&q->all, (kiln_contents){a->first, a->below},
                                 (kiln_contents){b->first, b->below});
    }
    const bool opens_a =
        is_leaf_b || (!is_leaf_a && kiln_balls_second_is_larger(&q->by, x, y) == q->all.swapped);
    const kiln_ball *opened = opens_a ? a : b;
    *count = separation_open(opens_a, opened->first, opened->below, pair, below);
    return KILN_PAIR_OPENED;
}

static void run_balls(kiln_front *front, const kiln_pair_visitor *visitor)
{
    separation_index *index = (separation_index *)front->index;
    ball_query q;
    separation_begin(front, visitor, &q.all);
    q.a = index->a;
    q.b = index->b;
    kiln_balls_relate(&front->frame, &q.by);
    kiln_separation_run(&index->list, (kiln_volume_pair){0, 0}, test_balls, &q);
    separation_end(front, &q.all);
}

typedef struct {
    separation_query all;
    kiln_binary_frame by;
    uint32_t carried; /* volume of B that was carried into A's node space last */
    kiln_binary_carried b;
} box_query;

static inline kiln_pair_answer test_boxes(void *recursion, kiln_volume_pair pair,
                                          kiln_volume_pair below[2], unsigned *count)
{
    box_query *q = (box_query *)recursion;
    kiln_binary_box a;
    kiln_binary_plane plane;
    double margin;
    kiln_binary_box_get(q->by.a, pair.a - 1, &a);
    if (q->carried != pair.b) {
        kiln_binary_carry(&q->by, pair.b - 1, &q->b);
        q->carried = pair.b;
    }
    q->all.volume_tests++;
    if (kiln_binary_part(&q->by, &a, &q->b, &plane, &margin)) {
        return KILN_PAIR_STAYS;
    }
    const kiln_contents of_a = kiln_binary_contents(q->by.a, pair.a - 1);
    const kiln_contents of_b = kiln_binary_contents(q->by.b, pair.b - 1);
    if (of_a.count != 0 && of_b.count != 0) {
        return separation_leaves(&q->all, of_a, of_b);
    }
    const bool opens_a = kiln_binary_opens_a(&q->by, &a, of_a, &q->b.own, of_b);
    const kiln_binary_tree *tree = opens_a ? q->by.a : q->by.b;
    const uint32_t node = opens_a ? of_a.first : of_b.first;
    *count = separation_open(opens_a, 1 + 2 * node,
                             kiln_node8_used(kiln_tree_node(tree->tree, node)), pair, below);
    return KILN_PAIR_OPENED;
}

static void run_boxes(kiln_front *front, const kiln_pair_visitor *visitor)
{
    separation_index *index = (separation_index *)front->index;
    box_query q;
    separation_begin(front, visitor, &q.all);
    q.carried = UINT32_MAX;
    kiln_binary_frame_form(&q.by, &front->frame, front->world, &index->tree_a, &index->tree_b);
    if (!(q.by.to_a.error < HUGE_VALF) && !kiln_roots_may_meet(&front->frame)) {
        return; /* too far for floats: all pairs of leaves would be tested; the list stays a cut */
    }
    kiln_separation_run(&index->list, (kiln_volume_pair){0, 0}, test_boxes, &q);
    separation_end(front, &q.all);
}

/* A list that did not find room, or of the plain recursion, makes every query a fresh one. */
static double separation_run(kiln_front *front, const kiln_pair_visitor *visitor)
{
    separation_index *index = (separation_index *)front->index;
    const bool was_kept = index->list.kept;
    const bool fresh = kiln_separation_is_to_be_built(&index->list);
    kiln_pair_frame_form_maps(&front->frame);
    (front->options.balls ? run_balls : run_boxes)(front, visitor);
    front->counts.fresh += fresh;
    front->counts.coherent += !fresh;
    front->counts.prunes += fresh && was_kept;
    front->counts.entries = index->list.count;
    front->counts.capacity = index->list.capacity;
    return 0;
}

const kiln_front_way kiln_front_separation = {
    .takes = separation_takes,
    .size = separation_size,
    .place = separation_place,
    .reset = separation_reset,
    .run = separation_run,
    .shortcuts = false,
};
