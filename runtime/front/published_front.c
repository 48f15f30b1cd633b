/* The front of Tropp, Tal, Shimshoni and Dobkin, "Temporal coherence in bounding volume hierarchies
 * for collision detection", 2006 ("the paper"): Algorithm 1, stages 1 to 6, on binary trees.
 *
 * The front is a set of nodes of the bounding volume test tree (BVTT), of which every path from its
 * root to a leaf has one. A node that is apart has a margin and a plane; of the others nothing is
 * known. Entries lie in arrays in no order. Nodes of the BVTT above the front are kept, too, so
 * that siblings find each other when the front is pruned.
 *
 * A margin is kept as the motion at which it is used up: it is not lowered in each frame by
 * |dx_frame| (Equation 10) but compared with the sum of all motions, which is the same and allows
 * queries that end before they have seen the whole front. A sum of two numbers is within 2^-53 of
 * itself, of which an entry gives twice as much away.
 *
 * Where the paper is silent, or this is not as it says:
 *  - Queries for a first hit end at it. What the front has not been asked stays as it is, which
 *    margins as above allow; what was still to be descended into becomes entries of which nothing
 *    is known. The next query begins with the entry where the hit was: the paper has no order.
 *    What such queries leave makes the front longer, until it is given up (weigh_query).
 *  - P_sprout (Equation 3). A node that meets is opened in the front as long as it is large against
 *    the motion; where both boxes are small it stays in the front, and what is below is searched as
 *    without coherence. By this reading P_sprout = infinity leaves but leaves, which is best for
 *    oriented boxes (section 5); the lowest boxes, which are best for aligned ones, are the same
 *    front here, where the triangles of a leaf are no nodes of the BVTT.
 *  - When motion is large (Equation 2), line 3 of Algorithm 1 makes a new front all the same. Here
 *    the front is given up, and the query is made by the walk of all others, which costs nothing
 *    more than that; a front is made by the next query of small motion.
 *  - That test is of sizes alone, and a front costs more than it saves also where motion is small
 *    but changes often, or where many triangles are near each other. So, unless the options have a
 *    P_coherence of their own, work is weighed against what a query from the roots would do, and
 *    fronts that do not pay are given up, and made less and less often.
 *  - There is room for so many entries. Where that is not enough, the rest of the query is made
 *    without the front, which is given up.
 *  - Pruning goes on upwards in the same attempt: a pair that replaces its children is itself
 *    apart, and may have a sibling that is. */
#include "front.h"

#include "../walk/pair_walk.h"
#include "binary_pair.h"

#include <math.h>
#include <string.h>

#define P_COHERENCE_ORIENTED 0.14
#define P_COHERENCE_ALIGNED 0.2
#define P_PRUNE_ORIENTED 0.17
#define P_PRUNE_ALIGNED 0.15

enum {
    NONE = -1,
    /* Where the options have no capacity: 4 MB, or as many as there are pairs of volumes. */
    CAPACITY_COMMON = 1 << 16,
    STACK_MOST = 2 * KILN_TREE_DEPTH_MAX + 4,
    /* Of queries, entries: see weigh_query. */
    PATIENCE_LEAST = 4,
    PATIENCE_MOST = 256,
    AGE_LEAST = 2,
    GROWN_LEAST = 64
};

#define UNKNOWN (-1.0) /* a deadline of which nothing is known, or that meets */

/* What is beside an entry's deadline. */
typedef struct {
    kiln_binary_plane plane;
    kiln_binary_place a, b;
    int32_t up;      /* 2 inner node + which child of it, or NONE: the root */
    uint32_t turned; /* rest[] is of this rotation: see Equation 13 */
} published_entry;
KILN_STATIC_ASSERT(sizeof(published_entry) == 32, "two in a line of the cache");

/* A node of the BVTT above the front. */
typedef struct {
    kiln_binary_place a, b;
    int32_t up;
    int32_t child[2]; /* 2 entry, 2 inner node + 1, or NONE */
} published_inner;

typedef struct {
    kiln_binary_tree a, b;
    kiln_binary_frame frame;
    bool has_maps;
    double prune, coherence, sprout;
    /* The front. */
    double *deadline;
    float *rest;
    published_entry *entries;
    published_inner *inners;
    int32_t count, inner_count, capacity;
    int32_t first; /* where the last hit was */
    /* Is it worth its while? See weigh_query. */
    bool judged;       /* else it is made whenever motion is small */
    int32_t made;      /* entries when it was made */
    double balance;    /* work saved since, less what making it cost */
    double trend;      /* of what a query saves */
    double hit_work;   /* of a query from the root that ended at a hit */
    uint32_t age;      /* queries since it was made */
    uint32_t wait;     /* queries of small motion until the next is made */
    uint32_t patience; /* what `wait` was last set to */
    double moved;      /* the sum of motions since it was made */
    double slow;       /* smaller motions are not waited for */
    double pruned_at;  /* the sum of all motions when pruning was last attempted */
    /* Equation 13: rotations are numbered; 0 is none. */
    uint32_t turned;
    bool moved_only; /* the rotation is that of the last query */
    kiln_quad rotation[3];
} published;

/* One query. */
typedef struct {
    kiln_front *front;
    published *of;
    const kiln_pair_visitor *visitor;
    kiln_leaf_pair leaves;
    bool stopped; /* the visitor has had enough */
    bool full;    /* there was no room: what is left is not kept */
    int32_t slot; /* of the entry that is expanded, until it is taken by another one */
    double least; /* of the deadlines that were looked at, but of pairs that were opened */
} published_query;

/* A pair that meets, with its place in the BVTT. */
typedef struct {
    kiln_binary_place a, b;
    int32_t up;
} published_pair;

/* ------------------------------------------------------------------------------- its memory -- */

static bool published_takes(const kiln_tree *a, const kiln_tree *b,
                            const kiln_front_options *options)
{
    (void)options;
    return kiln_binary_takes(a, b);
}

static size_t published_capacity(const kiln_tree *a, const kiln_tree *b,
                                 const kiln_front_options *options)
{
    const uint64_t of_a = 2 * (uint64_t)a->view.entry->node_count + 1;
    const uint64_t of_b = 2 * (uint64_t)b->view.entry->node_count + 1;
    const bool few = of_a < CAPACITY_COMMON && of_b < CAPACITY_COMMON / of_a;
    return options->capacity != 0 ? options->capacity
           : few                  ? (size_t)(of_a * of_b)
                                  : CAPACITY_COMMON;
}

static size_t published_lines(size_t bytes)
{
    return (bytes + KILN_FRONT_ALIGNMENT - 1) / KILN_FRONT_ALIGNMENT * KILN_FRONT_ALIGNMENT;
}

static size_t size_of_published(const kiln_tree *a, const kiln_tree *b,
                                const kiln_front_options *options)
{
    const size_t capacity = published_capacity(a, b, options);
    return published_lines(sizeof(published)) +
           published_lines(capacity * sizeof(published_entry)) +
           published_lines(capacity * sizeof(double)) + published_lines(capacity * sizeof(float)) +
           published_lines(capacity * sizeof(published_inner));
}

static void drop_published(published *of)
{
    of->count = of->inner_count = 0;
    of->first = 0;
}

/* The next front is made eight times as many queries later as this one was, or when motion is far
 * smaller. */
static void wait_longer(published *of)
{
    const uint32_t longer = of->patience == 0 ? PATIENCE_LEAST : 8 * of->patience;
    of->patience = longer < PATIENCE_MOST ? longer : PATIENCE_MOST;
    of->wait = of->patience;
}

/* Drops a front that is no longer of use. */
static void give_up_published(published *of)
{
    if (of->count != 0 && of->judged) {
        of->slow = of->age == 0 ? 0 : of->moved / of->age / 4;
        of->patience = of->balance < 0 ? of->patience : 0;
        if (of->balance < 0) {
            wait_longer(of);
        }
    }
    drop_published(of);
}

static void published_reset(kiln_front *front)
{
    published *of = (published *)front->index;
    drop_published(of);
    of->turned = 0;
    of->pruned_at = 0;
    of->wait = of->patience = 0;
    of->hit_work = of->slow = 0;
}

static double paper_or(double chosen, bool aligned, double of_aligned, double of_oriented)
{
    return chosen == chosen ? chosen : aligned ? of_aligned : of_oriented;
}

static void published_place(kiln_front *front, uint8_t *memory)
{
    const size_t capacity = published_capacity(front->a, front->b, &front->options);
    published *of = (published *)(void *)memory;
    memory += published_lines(sizeof *of);
    memset(of, 0, sizeof *of);
    of->entries = (published_entry *)(void *)memory;
    memory += published_lines(capacity * sizeof *of->entries);
    of->deadline = (double *)(void *)memory;
    memory += published_lines(capacity * sizeof *of->deadline);
    of->rest = (float *)(void *)memory;
    memory += published_lines(capacity * sizeof *of->rest);
    of->inners = (published_inner *)(void *)memory;
    of->capacity = (int32_t)capacity;
    kiln_binary_tree_form(&of->a, front->a);
    kiln_binary_tree_form(&of->b, front->b);
    const kiln_front_options *options = &front->options;
    const bool aligned = of->a.aligned;
    of->coherence =
        paper_or(options->coherence, aligned, P_COHERENCE_ALIGNED, P_COHERENCE_ORIENTED);
    of->prune = paper_or(options->prune, aligned, P_PRUNE_ALIGNED, P_PRUNE_ORIENTED);
    of->judged = options->coherence != options->coherence;
    of->sprout = paper_or(options->sprout, aligned, HUGE_VAL, HUGE_VAL);
    front->index = of;
    front->counts.capacity = (uint32_t)capacity;
    published_reset(front);
}

/* -------------------------------------------------------------------------------- its nodes -- */

/* What is above a node is told where it is now. */
static void tell_parent(published *of, int32_t up, int32_t child)
{
    if (up != NONE) {
        of->inners[up / 2].child[up % 2] = child;
    }
}

/* In *slot, which is then taken, or where that is NONE, at the end. NULL: there is no room. */
static published_entry *add_published(published *of, const published_pair *pair, double deadline,
                                      int32_t *slot)
{
    int32_t at = *slot;
    if (at == NONE && of->count == of->capacity) {
        return NULL;
    }
    if (at == NONE) {
        at = of->count++;
    }
    *slot = NONE;
    published_entry *entry = &of->entries[at];
    of->deadline[at] = deadline;
    entry->a = pair->a;
    entry->b = pair->b;
    entry->up = pair->up;
    entry->turned = 0;
    tell_parent(of, pair->up, 2 * at);
    return entry;
}

/* The last takes its place. */
static void remove_published(published *of, int32_t at)
{
    const int32_t last = --of->count;
    of->first = of->first == at ? 0 : of->first == last ? at : of->first;
    if (at != last) {
        of->entries[at] = of->entries[last];
        of->deadline[at] = of->deadline[last];
        of->rest[at] = of->rest[last];
        tell_parent(of, of->entries[at].up, 2 * at);
    }
}

static void remove_inner(published *of, int32_t at)
{
    const int32_t last = --of->inner_count;
    if (at != last) {
        published_inner *inner = &of->inners[at];
        *inner = of->inners[last];
        tell_parent(of, inner->up, 2 * at + 1);
        for (int c = 0; c < 2; c++) {
            const int32_t child = inner->child[c];
            if (child != NONE && child % 2 == 0) {
                of->entries[child / 2].up = 2 * at + c;
            } else if (child != NONE) {
                of->inners[child / 2].up = 2 * at + c;
            }
        }
    }
}

/* Its number, or NONE: there is no room. */
static int32_t add_inner(published *of, const published_pair *pair)
{
    if (of->inner_count == of->capacity) {
        return NONE;
    }
    const int32_t at = of->inner_count++;
    of->inners[at] = (published_inner){pair->a, pair->b, pair->up, {NONE, NONE}};
    tell_parent(of, pair->up, 2 * at + 1);
    return at;
}

/* ------------------------------------------------------------------------------- one query -- */

static void need_maps(published_query *q)
{
    published *of = q->of;
    if (of->has_maps) {
        return;
    }
    kiln_front *front = q->front;
    kiln_pair_frame_form_maps(&front->frame);
    kiln_binary_frame_form(&of->frame, &front->frame, front->world, &of->a, &of->b);
    of->has_maps = true;
    of->moved_only =
        of->turned != 0 && memcmp(of->rotation, of->frame.to_a.point, sizeof of->rotation) == 0;
    if (!of->moved_only) {
        memcpy(of->rotation, of->frame.to_a.point, sizeof of->rotation);
        of->turned++;
        of->turned += of->turned == 0;
    }
}

static double used_up_at(const kiln_front *front, double margin)
{
    const double sum = front->travelled + margin;
    return sum - 0x1p-52 * sum;
}

static bool triangles_of_pair(published_query *q, kiln_contents in_a, kiln_contents in_b)
{
    const bool swapped = q->front->frame.swapped;
    q->front->counts.leaf_tests++;
    q->stopped = !kiln_leaf_pair_meet(&q->leaves, &q->front->frame, q->visitor,
                                      swapped ? in_b : in_a, swapped ? in_a : in_b);
    return !q->stopped;
}

static bool watch_visit(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    published_query *q = (published_query *)user;
    q->stopped = !q->visitor->visit(q->visitor->user, frame, x, y);
    return !q->stopped;
}

/* All below a pair of boxes, or of the trees, as without coherence. */
static void walk_plainly(published_query *q, kiln_binary_place a, kiln_binary_place b)
{
    const kiln_pair_frame *frame = &q->front->frame;
    kiln_tree_box box[2];
    const kiln_pair_visitor visitor = {watch_visit,        q,   q->visitor->nearest_first, false,
                                       q->visitor->filter, NULL};
    for (int y = 0; y < 2; y++) {
        const bool is_a = (y != 0) == frame->swapped;
        const kiln_binary_tree *tree = is_a ? &q->of->a : &q->of->b;
        const kiln_binary_place place = is_a ? a : b;
        if (place == KILN_BINARY_ROOT) {
            kiln_tree_box_root(frame, y == 0, &box[y]);
        } else {
            kiln_tree_box_lane(frame, y == 0, kiln_binary_node(tree, place),
                               kiln_binary_lane(place), &box[y]);
        }
    }
    kiln_pair_walk_from(frame, &box[0], &box[1], &visitor);
    q->stopped = q->stopped || (q->visitor->filter != NULL && q->visitor->filter->stopped);
}

/* Is the node to stay in the front though it meets (Equation 3)? */
static bool is_small_pair(const published_query *q, const kiln_binary_box *a,
                          const kiln_binary_box *b)
{
    const kiln_binary_frame *frame = &q->of->frame;
    const double edge_a = (double)kiln_binary_edge(a) * frame->unit_a;
    const double edge_b = (double)kiln_binary_edge(b) * frame->unit_b;
    const double most = edge_a > edge_b ? edge_a : edge_b;
    return q->of->sprout < HUGE_VAL && q->front->motion > q->of->sprout * most;
}

/* A pair that meets and is to be opened or looked into. */
typedef struct {
    published_pair pair;
    kiln_contents in_a, in_b;
} waiting_pair;

static void keep_in_front(published_query *q, const published_pair *pair, double deadline,
                          const kiln_binary_plane *plane)
{
    published_entry *entry = q->full ? NULL : add_published(q->of, pair, deadline, &q->slot);
    q->least = deadline < q->least ? deadline : q->least;
    if (entry == NULL) {
        q->full = true;
    } else if (plane != NULL) {
        entry->plane = *plane;
    }
}

/* Puts the two in the order in which they are to be taken: the nearer last. */
static void order_waiting(waiting_pair *two, const double way[2])
{
    if (way[0] < way[1]) {
        const waiting_pair first = two[0];
        two[0] = two[1];
        two[1] = first;
    }
}

static double squared_way(const kiln_binary_box *a, const kiln_binary_carried *b)
{
    const kiln_quad d = b->centre - a->centre;
    return (double)d[0] * (double)d[0] + (double)d[1] * (double)d[1] + (double)d[2] * (double)d[2];
}

/* Tests the children of a pair that meets. Those that meet are put on the stack. */
static unsigned open_pair(published_query *q, const waiting_pair *at, waiting_pair *stack)
{
    published *of = q->of;
    const kiln_binary_frame *frame = &of->frame;
    kiln_binary_box a;
    kiln_binary_carried b;
    kiln_binary_box_get(&of->a, at->pair.a, &a);
    kiln_binary_carry(frame, at->pair.b, &b);
    const bool opens_a = kiln_binary_opens_a(frame, &a, at->in_a, &b.own, at->in_b);
    kiln_binary_place child;
    const unsigned children = opens_a ? kiln_binary_children(&of->a, at->in_a, &child)
                                      : kiln_binary_children(&of->b, at->in_b, &child);
    if (children == 0) { /* a node may have no lane in use: nothing is below, whatever moves */
        keep_in_front(q, &at->pair, HUGE_VAL, NULL);
        return 0;
    }
    const int32_t inner = q->full ? NONE : add_inner(of, &at->pair);
    q->full = q->full || inner == NONE;
    unsigned left = 0;
    double way[2] = {0, 0};
    for (unsigned c = 0; c < children; c++) {
        waiting_pair next = *at;
        kiln_binary_plane plane;
        double margin;
        next.pair.up = inner == NONE ? NONE : 2 * inner + (int32_t)c;
        if (opens_a) {
            next.pair.a = child + c;
            kiln_binary_box_get(&of->a, child + c, &a);
        } else {
            next.pair.b = child + c;
            kiln_binary_carry(frame, child + c, &b);
        }
        q->front->counts.volume_tests++;
        if (kiln_binary_part(frame, &a, &b, &plane, &margin)) {
            keep_in_front(q, &next.pair, used_up_at(q->front, margin), &plane);
            continue;
        }
        next.in_a = opens_a ? kiln_binary_contents(&of->a, child + c) : at->in_a;
        next.in_b = opens_a ? at->in_b : kiln_binary_contents(&of->b, child + c);
        if (!frame->aligned) {
            way[left] = squared_way(&a, &b);
        }
        stack[left++] = next;
    }
    if (left == 2) {
        order_waiting(stack, way);
    }
    return left;
}

/* Expands a pair that meets, whose entry is to be replaced. After the visitor has had enough, what
 * waits becomes entries of which nothing is known. */
static void expand_pair(published_query *q, const published_pair *pair)
{
    published *of = q->of;
    waiting_pair stack[STACK_MOST];
    unsigned waiting = 1;
    stack[0].pair = *pair;
    stack[0].in_a = kiln_binary_contents(&of->a, pair->a);
    stack[0].in_b = kiln_binary_contents(&of->b, pair->b);
    while (waiting > 0) {
        KILN_ASSERT(waiting + 2 <= STACK_MOST);
        const waiting_pair at = stack[--waiting];
        const bool leaves = at.in_a.count != 0 && at.in_b.count != 0;
        if (q->stopped) {
            keep_in_front(q, &at.pair, UNKNOWN, NULL);
        } else if (leaves) {
            if (!triangles_of_pair(q, at.in_a, at.in_b)) {
                of->first = q->slot != NONE ? q->slot : of->count;
            }
            keep_in_front(q, &at.pair, UNKNOWN, NULL);
        } else if (q->full) {
            walk_plainly(q, at.pair.a, at.pair.b);
        } else {
            waiting += open_pair(q, &at, stack + waiting);
        }
    }
}

/* The margin of an entry along its plane as the trees are now. Where they only moved, by Equation
 * 13: `a` is then looked at but once. */
static inline double margin_along_plane(published_query *q, int32_t at, const kiln_binary_box *a)
{
    published *of = q->of;
    published_entry *entry = &of->entries[at];
    if (of->frame.aligned || !of->moved_only) {
        return kiln_binary_margin(&of->frame, a, entry->b, &entry->plane);
    }
    if (entry->turned != of->turned) {
        of->rest[at] = kiln_binary_rest(&of->frame, a, &entry->plane);
        entry->turned = of->turned;
    }
    return kiln_binary_margin_of(&of->frame, of->rest[at], &entry->plane);
}

/* Stages 2 to 5 for an entry whose margin is used up, or of which nothing is known. */
static void ask_entry(published_query *q, int32_t at)
{
    published *of = q->of;
    need_maps(q);
    const bool was_apart = of->deadline[at] >= 0;
    published_entry *entry = &of->entries[at];
    kiln_binary_box a;
    kiln_binary_carried b;
    double margin;
    kiln_binary_box_get(&of->a, entry->a, &a);
    if (was_apart) {
        q->front->counts.axis_tests++;
        margin = margin_along_plane(q, at, &a);
        if (margin > 0) {
            of->deadline[at] = used_up_at(q->front, margin);
            q->least = of->deadline[at] < q->least ? of->deadline[at] : q->least;
            return;
        }
    }
    kiln_binary_carry(&of->frame, entry->b, &b);
    q->front->counts.volume_tests++;
    if (kiln_binary_part(&of->frame, &a, &b, &entry->plane, &margin)) {
        of->deadline[at] = used_up_at(q->front, margin);
        entry->turned = 0;
        q->least = of->deadline[at] < q->least ? of->deadline[at] : q->least;
        return;
    }
    of->deadline[at] = UNKNOWN;
    const kiln_contents in_a = kiln_binary_contents(&of->a, entry->a);
    const kiln_contents in_b = kiln_binary_contents(&of->b, entry->b);
    if (in_a.count != 0 && in_b.count != 0) {
        q->least = UNKNOWN;
        if (!triangles_of_pair(q, in_a, in_b)) {
            of->first = at;
        }
        return;
    }
    if (is_small_pair(q, &a, &b.own)) {
        q->least = UNKNOWN;
        walk_plainly(q, entry->a, entry->b);
        of->first = q->stopped ? at : of->first;
        return;
    }
    const published_pair pair = {entry->a, entry->b, entry->up};
    q->slot = at;
    expand_pair(q, &pair);
    q->slot = NONE;
}

/* What the axis test of an entry reads, on its way into the cache: nodes of oriented boxes are two
 * lines and a half, those of aligned ones one and a quarter. */
static inline void fetch_entry(const published *of, int32_t at)
{
    const published_entry *entry = &of->entries[at];
    const char *a = (const char *)kiln_binary_node(&of->a, entry->a);
    __builtin_prefetch(a);
    __builtin_prefetch(a + 64);
    if (!of->a.aligned) {
        __builtin_prefetch(a + 128);
        return;
    }
    const char *b = (const char *)kiln_binary_node(&of->b, entry->b);
    __builtin_prefetch(b);
    __builtin_prefetch(b + 64);
}

/* Stage 2, margins, of a few entries at once: those whose margins are not enough are then asked. No
 * branch depends on a margin, since about half of them are enough where motion is large. */
enum { SOME_ENTRIES = 128 };

static void scan_some(published_query *q, int32_t from, int32_t to)
{
    const published *of = q->of;
    const double travelled = q->front->travelled;
    int32_t used[SOME_ENTRIES];
    int32_t count = 0;
    double least = q->least;
    for (int32_t at = from; at < to; at++) {
        const double deadline = of->deadline[at];
        const bool enough = deadline > travelled;
        least = kiln_smaller(enough ? deadline : HUGE_VAL, least);
        used[count] = at;
        count += !enough;
    }
    q->least = least;
    q->front->counts.margin_tests += (uint64_t)(to - from - count);
    for (int32_t i = 0; i < count && i < 2; i++) {
        fetch_entry(of, used[i]);
    }
    for (int32_t i = 0; i < count && !q->stopped; i++) {
        if (i + 2 < count) {
            fetch_entry(of, used[i + 2]);
        }
        ask_entry(q, used[i]);
    }
}

static void scan_entries(published_query *q, int32_t from, int32_t to)
{
    for (int32_t at = from; at < to && !q->stopped; at += SOME_ENTRIES) {
        scan_some(q, at, to - at < SOME_ENTRIES ? to : at + SOME_ENTRIES);
    }
}

/* --------------------------------------------------------------------------------- pruning -- */

/* Are all children of a node entries that are apart? */
static bool may_prune(const published *of, const published_inner *inner, double travelled)
{
    for (int c = 0; c < 2; c++) {
        const int32_t child = inner->child[c];
        if (child != NONE && (child % 2 != 0 || !(of->deadline[child / 2] > travelled))) {
            return false;
        }
    }
    return true;
}

/* Puts a node in the place of its children, if it is apart. Its parent's number, or NONE: there is
 * none, or nothing was done. */
static int32_t prune_inner(published_query *q, int32_t at, bool *done)
{
    published *of = q->of;
    const published_inner inner = of->inners[at];
    kiln_binary_box a;
    kiln_binary_carried b;
    kiln_binary_plane plane;
    double margin;
    *done = false;
    if (!may_prune(of, &inner, q->front->travelled)) {
        return NONE;
    }
    need_maps(q);
    kiln_binary_box_get(&of->a, inner.a, &a);
    kiln_binary_carry(&of->frame, inner.b, &b);
    q->front->counts.volume_tests++;
    if (!kiln_binary_part(&of->frame, &a, &b, &plane, &margin)) {
        return NONE;
    }
    const published_pair pair = {inner.a, inner.b, inner.up};
    int32_t slot = inner.child[0] / 2;
    add_published(of, &pair, used_up_at(q->front, margin), &slot)->plane = plane;
    if (inner.child[1] != NONE) {
        remove_published(of, inner.child[1] / 2);
    }
    const int32_t parent = inner.up == NONE ? NONE : inner.up / 2;
    remove_inner(of, at);
    *done = true;
    return parent == of->inner_count ? at : parent;
}

/* Stage 6. The one that takes the place of a node that is gone is looked at, too. */
static void prune_front(published_query *q)
{
    q->front->counts.prunes++;
    q->of->pruned_at = q->front->travelled;
    for (int32_t at = 0; at < q->of->inner_count;) {
        bool done;
        int32_t above = prune_inner(q, at, &done);
        const bool again = done;
        while (above != NONE && done) {
            above = prune_inner(q, above, &done);
        }
        at += !again;
    }
}

/* ------------------------------------------------------------------------------- the query -- */

/* What the tests of a front cost, in units of one test of a query from the roots, which looks at
 * two volumes at once, and reads them one behind the other: as measured, oriented and aligned. */
static const double work_of_test[2] = {3.0, 4.5}, work_of_axis[2] = {1.0, 1.6};
#define WORK_OF_MARGIN 0.0625

static double work_of_counts(const published *of, const kiln_front_info *counts)
{
    return work_of_test[of->a.aligned] * (double)counts->volume_tests +
           work_of_axis[of->a.aligned] * (double)counts->axis_tests +
           WORK_OF_MARGIN * (double)counts->margin_tests;
}

/* The nodes of the BVTT that the front knows are about those that a query from the roots would have
 * tested, unless that would have ended at a hit, for which the last of that kind stands. A front
 * is given up if it saves nothing in the trend of a few queries, or, after hits that leave entries
 * of which nothing is known, if it has grown to twice what it was. */
static void weigh_query(published_query *q, double work, bool made)
{
    published *of = q->of;
    const double from_roots =
        q->stopped ? of->hit_work : (double)of->count + (double)of->inner_count;
    if (made) {
        const double tests = work / work_of_test[of->a.aligned];
        of->hit_work = q->stopped ? tests : of->hit_work;
        of->made = of->count;
        of->balance = tests - work;
        of->moved = 0;
        of->trend = 0;
        of->age = 0;
        return;
    }
    const double saved = from_roots - work;
    of->balance += saved;
    of->trend += (saved - of->trend) / 16;
    of->moved += q->front->motion;
    of->age++;
    if (q->stopped && of->count > 2 * of->made + GROWN_LEAST) {
        drop_published(of);
    } else if (of->judged && of->age >= AGE_LEAST && of->trend < 0) {
        give_up_published(of);
    }
}

static double run_plainly(published_query *q)
{
    give_up_published(q->of);
    q->front->counts.fresh++;
    if (kiln_roots_may_meet(&q->front->frame)) {
        need_maps(q);
        walk_plainly(q, KILN_BINARY_ROOT, KILN_BINARY_ROOT);
    }
    return 0;
}

/* Begins with the entry where the last hit was. */
static void run_coherently(published_query *q)
{
    published *of = q->of;
    const int32_t first = of->first, count = of->count;
    KILN_ASSERT(first < count);
    scan_entries(q, first, count);
    scan_entries(q, 0, first);
    if (!q->full && !q->stopped &&
        q->front->travelled - of->pruned_at > of->prune * q->front->size) { /* Equation 4 */
        prune_front(q);
    }
}

static void begin_front(published_query *q)
{
    int32_t slot = NONE;
    const published_pair roots = {KILN_BINARY_ROOT, KILN_BINARY_ROOT, NONE};
    drop_published(q->of);
    add_published(q->of, &roots, UNKNOWN, &slot);
    q->of->pruned_at = q->front->travelled;
}

/* Are the trees so far from each other, or of so different scales, that binary_pair.c finds nothing
 * apart? Then a front would be of all pairs of leaves. The maps are needed for this, and nearly
 * always for the query, too, unless motion is small: but then margins are beyond it as well. */
static bool is_beyond_floats(published_query *q, bool made)
{
    if (!made && !(q->front->motion > q->front->size)) {
        return false;
    }
    need_maps(q);
    return !(q->of->frame.to_a.error < HUGE_VALF);
}

static double run_front(published_query *q)
{
    kiln_front *front = q->front;
    published *of = q->of;
    const bool known = front->motion < HUGE_VAL;
    if (!(front->motion <= of->coherence * front->size) && known) { /* Equation 2 */
        return run_plainly(q);
    }
    if (of->count == 0 && of->wait > 0 && !(front->motion < of->slow)) {
        of->wait--;
        return run_plainly(q);
    }
    const bool made = of->count == 0 || !known;
    if (is_beyond_floats(q, made)) {
        return run_plainly(q);
    }
    const double before = work_of_counts(of, &front->counts);
    if (made) {
        begin_front(q);
        front->counts.fresh++;
    } else {
        front->counts.coherent++;
    }
    run_coherently(q);
    if (q->full) { /* there is no room, and there will be none soon */
        drop_published(of);
        of->slow = 0;
        wait_longer(of);
        return 0;
    }
    weigh_query(q, work_of_counts(of, &front->counts) - before, made);
    const double apart = q->least - front->travelled;
    return !q->stopped && apart > 0 ? apart * (1 - 0x1p-50) : 0;
}

static double published_run(kiln_front *front, const kiln_pair_visitor *visitor)
{
    published *of = (published *)front->index;
    published_query q = {
        .front = front, .of = of, .visitor = visitor, .slot = NONE, .least = HUGE_VAL};
    kiln_leaf_pair_begin(&q.leaves, kiln_kernel_active());
    of->has_maps = false;
    const double apart = run_front(&q);
    front->counts.entries = (uint32_t)of->count;
    front->counts.capacity = (uint32_t)of->capacity;
    return apart;
}

const kiln_front_way kiln_front_published = {
    .takes = published_takes,
    .size = size_of_published,
    .place = published_place,
    .reset = published_reset,
    .run = published_run,
    .shortcuts = false,
};
