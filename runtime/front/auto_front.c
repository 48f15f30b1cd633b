/* The front that is kept for programs: the bounding volume test tree of the last queries, as far as
 * it was looked into, on trees of any kind.
 *
 * Entries. A step is a node that was opened against a volume of the other tree. Its lanes are
 * either apart from that volume (`own`), and the entry stands for all of them, or were looked into
 * (`down`), and other entries below it stand for these. A pair is a pair of volumes that was not
 * opened: two leaves whose triangles were tested, or a leaf whose triangles are apart from a
 * volume. So entries form a tree, and what they stand for is a front of the BVTT in the sense of
 * Klosowski et al. 1998 and Tropp et al. 2006, section 2, with nodes of eight.
 *
 * Deadlines. What an entry stands for is proved apart until the objects have moved, relative to
 * each other, by the least of its margins (Tropp et al., Equation 10); as motions are summed up,
 * the deadline of a proof is a number that does not change from query to query, unlike the margins
 * of the paper, and a query looks at nothing but the entries whose deadlines have passed. The least
 * deadline of all is how far the objects may move before anything can meet.
 *
 * A step that is tested again is tested with all its lanes. Those that came near are looked into;
 * if others that were looked into have parted, all entries below them are dropped: the front rises.
 * As steps that are not due are not tested, all of those with lanes that were looked into are
 * tested once the objects have moved by a part of their size (P_prune), or the front has grown.
 *
 * After a hit the query ends, and lanes that were not looked into yet belong to their steps again,
 * with deadlines that have passed. */
#include "front.h"

#include "../walk/once.h"
#include "../walk/pair_level.h"
#include "../walk/pair_walk.h"

#include <math.h>
#include <string.h>

enum {
    ROOT = 255,      /* as a lane: the whole tree */
    CAPACITY = 1024, /* fronts that pay have some hundred entries */
    BLOCK = 4,       /* deadlines that are compared at once */
    LEVELS_BEGIN = 2 /* two volumes with which a descent begins */
};
#define NONE UINT32_MAX

/* P_prune: Tropp et al. found .17 of the size of the smaller object for boxes with axes of their
 * own, with fronts of leaves; front tests here are cheaper and the value is flat. */
#define PRUNE_PART 0.17
#define PRUNE_GROWTH 2
/* P_coherence: a motion by more than this part of the size is no coherence (Tropp et al.: .14). */
#define COHERENCE_PART 0.06

/* Costs, in tenths of opening a node on the way from the roots: of a query from there, and of what
 * the front does besides. By kiln-bench coherence. */
enum {
    COST_OF_NODE = 10,
    COST_OF_LEAVES = 25,
    COST_OF_RETEST = 16,   /* of a step, its node included */
    COST_OF_ENTRY = 5,     /* a new one */
    COST_OF_MARGINS = 100, /* of the triangles of two leaves */
    COST_OF_QUERY = 10     /* motion, and the deadlines that have not passed */
};
/* Failures that a search near the last hit pays for when it succeeds. */
enum { NEAR_EARNED = 1 };
/* Motions for which a volume is to stay away from a large leaf. */
#define REACH_AHEAD 8
/* Motions that the margin of two leaves has to last for to be worth its cost. */
#define MARGIN_PAYS 3
/* Queries that are made without a front after one did not pay; and what one may have saved, in
 * queries from the roots, before it costs more. After a motion that is too large the next ones are
 * not looked at. */
enum { PAUSE_LEAST = 64, PAUSE_MOST = 1024, SAVED_MOST = 4, PAUSE_LARGE = 16 };

typedef struct {
    kiln_lane_box box;    /* of a step the volume of the other tree, unless that is a root */
    float area;           /* its own */
    uint32_t node[2];     /* of trees A and B: that is opened, or that the volume is a lane of */
    uint32_t parent;      /* NONE: the first */
    uint32_t child, next; /* the first one below; the next one of the same parent, or free one */
    uint8_t lane[2];      /* of the volumes; of a step that of the other tree */
    uint8_t opened;       /* 0, 1: a step, whose node is A's or B's; 2: a pair */
    uint8_t above;        /* lane of the parent that it is below */
    uint8_t own, down;
    bool tested; /* a pair of leaves that was tested at an earlier query, too */
} front_entry;

enum { PAIR = 2, FREE = 3 };

/* Where a level of a descent is in its tree, and the step that it is. */
typedef struct {
    uint32_t node, entry;
    uint8_t lane; /* of the volume in hand where no node was opened */
} level_place;

typedef struct {
    front_entry *entries;
    double *deadlines; /* of entries; infinite where they stand for nothing */
    kiln_level *levels;
    level_place *places;
    uint32_t capacity, room_levels;
    uint32_t used, free, count; /* places of entries; the first free one; those in use */
    bool is_live;               /* there is a front */
    bool is_full;               /* one was lost */
    double pruned_at;           /* travelled */
    uint32_t pruned_count;
    uint32_t streak;  /* queries without a hit */
    uint32_t pause;   /* queries to go without a front */
    uint32_t penalty; /* how long the last pause was */
    /* Where the leaves are that met last, and whether it pays to search there first. */
    front_entry hit;
    bool has_hit;
    int near_credit, margin_credit;
    uint64_t cost, cost_of_fresh; /* of this query; of the one from the roots */
    int64_t saved;
    uint32_t age; /* queries from this front */
    /* Of the query in hand. */
    kiln_front *front;
    kiln_descent descent;
    kiln_pair_visitor visitor;
    const kiln_pair_visitor *given;
    kiln_leaf_pair leaves;
    kiln_probe probe;
    float org[LEVELS_BEGIN][3];
    double unit[2]; /* of the node spaces of Y and X, in the world, less what rounding may take */
    double nearest; /* the least deadline that was seen or set, of those that have not passed */
    bool any;       /* a pair was passed */
    bool passed_on; /* and the query went on after it */
} auto_front;

/* ----------------------------------------------------------------------------------- memory -- */

static uint32_t levels_of(const kiln_tree *a, const kiln_tree *b)
{
    return LEVELS_BEGIN + 1 + a->view.entry->depth + b->view.entry->depth;
}

static uint32_t capacity_of(const kiln_front_options *options)
{
    return options->capacity != 0 ? options->capacity : CAPACITY;
}

static size_t lines_of(size_t count, size_t size)
{
    const size_t line = KILN_FRONT_ALIGNMENT;
    return (count * size + line - 1) / line * line;
}

static bool auto_takes(const kiln_tree *a, const kiln_tree *b, const kiln_front_options *options)
{
    (void)a;
    (void)b;
    return !options->balls;
}

static size_t auto_size(const kiln_tree *a, const kiln_tree *b, const kiln_front_options *options)
{
    const size_t capacity = capacity_of(options), levels = levels_of(a, b);
    return lines_of(1, sizeof(auto_front)) + lines_of(levels, sizeof(kiln_level)) +
           lines_of(levels, sizeof(level_place)) + lines_of(capacity + BLOCK, sizeof(double)) +
           lines_of(capacity, sizeof(front_entry));
}

static void drop_front(auto_front *in)
{
    in->used = in->count = 0;
    in->free = NONE;
    in->is_live = false;
    in->is_full = false;
}

static void auto_reset(kiln_front *front)
{
    auto_front *in = (auto_front *)front->index;
    drop_front(in);
    in->has_hit = false;
    in->near_credit = in->margin_credit = KILN_FRONT_CREDIT_MOST;
    in->streak = 0;
    in->pause = 0;
    in->penalty = 0;
}

static void auto_place(kiln_front *front, uint8_t *memory)
{
    const size_t capacity = capacity_of(&front->options);
    const size_t levels = levels_of(front->a, front->b);
    auto_front *in = (auto_front *)(void *)memory;
    memset(in, 0, sizeof *in);
    memory += lines_of(1, sizeof *in);
    in->levels = (kiln_level *)(void *)memory;
    memory += lines_of(levels, sizeof(kiln_level));
    in->places = (level_place *)(void *)memory;
    memory += lines_of(levels, sizeof(level_place));
    in->deadlines = (double *)(void *)memory;
    memory += lines_of(capacity + BLOCK, sizeof(double));
    in->entries = (front_entry *)(void *)memory;
    in->capacity = (uint32_t)capacity;
    in->room_levels = (uint32_t)levels;
    front->index = in;
    front->counts.capacity = (uint32_t)capacity;
    auto_reset(front);
}

/* --------------------------------------------------------------------------------- deadlines -- */

/* The entry's proof holds until the objects have moved by `margin`. It is not looked at again in
 * this query, as the sum of motions grows with the next motion by more than the last bit. */
static void set_deadline(auto_front *in, uint32_t number, double margin)
{
    const double now = in->front->travelled;
    double deadline = margin > 0 ? (now + margin) * (1 - 0x1p-52) : now;
    if (!(deadline > now)) {
        deadline = nextafter(now, HUGE_VAL);
    }
    in->deadlines[number] = deadline;
    in->nearest = deadline < in->nearest ? deadline : in->nearest;
}

/* ----------------------------------------------------------------------------------- entries -- */

/* NONE: there is no room, from now on until the front is dropped. */
static uint32_t add_entry(auto_front *in, uint32_t parent, uint32_t above)
{
    uint32_t number = in->free;
    in->is_full = in->is_full || (number == NONE && in->used == in->capacity);
    if (in->is_full) {
        return NONE;
    }
    if (number != NONE) {
        in->free = in->entries[number].next;
    } else {
        number = in->used++;
        for (uint32_t i = 1; i < BLOCK; i++) {
            in->deadlines[number + i] = HUGE_VAL;
        }
    }
    front_entry *entry = &in->entries[number];
    memset(entry, 0, sizeof *entry);
    entry->parent = parent;
    entry->above = (uint8_t)above;
    entry->child = NONE;
    entry->next = NONE;
    in->deadlines[number] = HUGE_VAL;
    if (parent != NONE) {
        entry->next = in->entries[parent].child;
        in->entries[parent].child = number;
    }
    in->count++;
    in->cost += COST_OF_ENTRY;
    return number;
}

/* Drops the entries below the lanes `gone` of one. */
static void drop_below(auto_front *in, uint32_t number, uint32_t gone)
{
    uint32_t dropped = NONE, *link = &in->entries[number].child;
    while (*link != NONE) {
        front_entry *entry = &in->entries[*link];
        const uint32_t at = *link;
        if ((gone >> entry->above & 1) != 0) {
            *link = entry->next;
            entry->next = dropped;
            dropped = at;
        } else {
            link = &entry->next;
        }
    }
    while (dropped != NONE) {
        front_entry *entry = &in->entries[dropped];
        const uint32_t at = dropped;
        dropped = entry->next;
        for (uint32_t child = entry->child; child != NONE;) {
            const uint32_t next = in->entries[child].next;
            in->entries[child].next = dropped;
            dropped = child;
            child = next;
        }
        in->deadlines[at] = HUGE_VAL;
        entry->opened = FREE;
        entry->next = in->free;
        in->free = at;
        in->count--;
    }
}

/* ----------------------------------------------------------------------------------- volumes -- */

static bool is_x_of(const auto_front *in, int tree)
{
    return (tree == 1) == in->front->frame.swapped;
}

static const kiln_tree *tree_of(const auto_front *in, int tree)
{
    return tree == 1 ? in->front->b : in->front->a;
}

/* Puts a volume into a level from which a descent begins. */
static void level_of_volume(auto_front *in, int tree, uint32_t node, uint32_t lane, int level)
{
    const bool is_x = is_x_of(in, tree);
    kiln_tree_box box;
    if (lane == ROOT) {
        kiln_tree_box_root(&in->front->frame, is_x, &box);
    } else {
        kiln_tree_box_lane(&in->front->frame, is_x, kiln_tree_node(tree_of(in, tree), node), lane,
                           &box);
    }
    kiln_level_begin(&box, is_x, in->org[level], &in->levels[level]);
    in->places[level] = (level_place){node, NONE, (uint8_t)lane};
}

/* The volume in hand of a level, for an entry. */
static void name_volume(const auto_front *in, const kiln_level *level, front_entry *entry)
{
    const level_place *place = &in->places[level - in->levels];
    const int tree = level->is_x == is_x_of(in, 1);
    entry->node[tree] = place->node;
    entry->lane[tree] = place->lane == ROOT || level - in->levels < LEVELS_BEGIN
                            ? place->lane
                            : (uint8_t)level->opened.lane;
}

/* The volume of the other tree that a step was opened against, which is not a root, as its node has
 * it: levels that a descent begins with have it in another form. */
static void keep_volume(const auto_front *in, float area, int tree, front_entry *entry)
{
    tree_of(in, tree)->view.kind->decode_lane(kiln_tree_node(tree_of(in, tree), entry->node[tree]),
                                              entry->lane[tree], &entry->box);
    entry->area = area;
}

static void begin_kept_level(auto_front *in, const front_entry *entry, int tree, kiln_level *out)
{
    const kiln_format_node8 *node = kiln_tree_node(tree_of(in, tree), entry->node[tree]);
    const kiln_lane_box *box = &entry->box;
    for (int k = 0; k < 3; k++) {
        out->opened.lanes.centre[k][0] = box->centre[k];
        out->opened.lanes.half[k][0] = box->half[k];
        for (int j = 0; j < 3; j++) {
            out->opened.lanes.axis[3 * k + j][0] = box->axis[k][j];
        }
    }
    out->opened.org = node->org;
    out->opened.node = NULL;
    out->opened.lane = 0;
    out->opened.balls = tree_of(in, tree)->view.kind->balls;
    out->is_x = is_x_of(in, tree);
    out->area = entry->area;
    out->contents = kiln_node8_contents(node, entry->lane[tree]);
    in->places[out - in->levels] = (level_place){entry->node[tree], NONE, entry->lane[tree]};
}

/* The margin of the lanes of a step that do not meet the volume, in the world. */
static double margin_of_step(const auto_front *in, const kiln_level *at)
{
    return in->descent.to[0].margins ? (double)at->opened.margin * in->unit[at->is_x] : 0;
}

/* ------------------------------------------------------------------------------------ leaves -- */

static bool note_pair(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    auto_front *in = (auto_front *)user;
    in->any = true;
    return in->given->visit(in->given->user, frame, x, y);
}

/* How far the planes of the triangles of one leaf, or the boxes, keep the others away: of all pairs
 * the least, from below, in X's frame. */
static double margin_of_leaves(const kiln_leaf_pair *leaves, double enough)
{
    const kiln_leaf_triangles *x = &leaves->x, *y = &leaves->y;
    double least = HUGE_VAL;
    for (uint32_t j = 0; j < y->count; j++) {
        for (uint32_t i = 0; i < x->count; i++) {
            const double margin = kiln_leaf_pair_margin(x, i, y, j, least);
            least = margin < least ? margin : least;
            if (!(least > enough)) {
                return 0;
            }
        }
    }
    return least;
}

/* Tests the triangles of two leaves. Margins cost more than the test: they are formed for pairs
 * that have been tested before. False: the query is at its end. */
static bool test_leaves(auto_front *in, kiln_contents leaf_x, kiln_contents leaf_y, uint32_t number)
{
    kiln_front *front = in->front;
    front->counts.leaf_tests++;
    in->cost += COST_OF_LEAVES;
    const bool any = in->any;
    in->any = false;
    const bool goes_on =
        kiln_leaf_pair_meet(&in->leaves, &front->frame, &in->visitor, leaf_x, leaf_y);
    in->passed_on = in->passed_on || (in->any && goes_on);
    if (number != NONE && goes_on) {
        front_entry *entry = &in->entries[number];
        double margin = 0;
        if (!in->any && entry->tested && kiln_front_pays(front, in->margin_credit)) {
            in->cost += COST_OF_MARGINS;
            margin = margin_of_leaves(&in->leaves, front->motion / front->world) * front->world;
            kiln_front_credit(&in->margin_credit, margin > MARGIN_PAYS * front->motion, 1);
        }
        entry->tested = true;
        set_deadline(in, number, margin);
    } else if (number != NONE) {
        in->deadlines[number] = -HUGE_VAL;
    }
    in->any = in->any || any;
    return goes_on;
}

/* ---------------------------------------------------------------------------------- descents -- */

/* What is known of a step: which lanes meet, and for how long the others do not. */
static void note_lanes(auto_front *in, uint32_t number, const kiln_level *at, uint32_t met)
{
    front_entry *entry = &in->entries[number];
    entry->down = (uint8_t)met;
    entry->own = (uint8_t)(kiln_node8_used(at->opened.node) & ~met);
    in->deadlines[number] = HUGE_VAL;
    if (entry->own != 0) {
        set_deadline(in, number, margin_of_step(in, at));
    }
}

/* Makes a step of an entry: the node that was opened in `at` against the volume of at->other. */
static void become_step(auto_front *in, uint32_t number, const kiln_level *at, uint32_t node)
{
    in->places[at - in->levels] = (level_place){node, number, 0};
    if (number == NONE) {
        return;
    }
    front_entry *entry = &in->entries[number];
    const int tree = at->is_x == is_x_of(in, 1);
    name_volume(in, at->other, entry);
    if (entry->lane[!tree] != ROOT) {
        keep_volume(in, at->other->area, !tree, entry);
    }
    entry->opened = (uint8_t)tree;
    entry->node[tree] = node;
    entry->lane[tree] = ROOT;
    note_lanes(in, number, at, at->mask);
}

/* Lanes that were not taken belong to their steps again, and are due. */
static void leave_levels(auto_front *in, const kiln_level *at)
{
    for (; at - in->levels >= LEVELS_BEGIN; at--) {
        const uint32_t number = in->places[at - in->levels].entry;
        if (at->mask != 0 && number != NONE) {
            front_entry *entry = &in->entries[number];
            entry->own |= (uint8_t)at->mask;
            entry->down &= (uint8_t)~at->mask;
            in->deadlines[number] = -HUGE_VAL;
        }
    }
}

/* Opens a volume against another one into the level `at`, as the step `number`. */
static void open_into_step(auto_front *in, const kiln_level *of, const kiln_level *against,
                           kiln_level *at, uint32_t number)
{
    const uint32_t node = of->contents.first;
    KILN_ASSERT((uint32_t)(at - in->levels) < in->room_levels);
    kiln_level_open(&in->descent, in->visitor.nearest_first, of, against, at, &in->probe);
    in->front->counts.volume_tests++;
    in->cost += COST_OF_NODE;
    become_step(in, number, at, node);
}

/* One pair of volumes, as pair_walk.c treats it; `number` is its entry. Returns whether the query
 * goes on; *opened: the level `at` was opened. */
static bool look_at_pair(auto_front *in, const kiln_level *lane, const kiln_level *other,
                         kiln_level *at, uint32_t number, bool *opened)
{
    const bool is_leaf = lane->contents.count != 0, other_is_leaf = other->contents.count != 0;
    *opened = false;
    if (number != NONE) {
        front_entry *entry = &in->entries[number];
        entry->opened = PAIR;
        name_volume(in, lane, entry);
        name_volume(in, other, entry);
    }
    if (is_leaf && other_is_leaf) {
        const bool goes_on = test_leaves(in, lane->is_x ? lane->contents : other->contents,
                                         lane->is_x ? other->contents : lane->contents, number);
        if (!goes_on) {
            in->has_hit = true;
            name_volume(in, lane, &in->hit);
            name_volume(in, other, &in->hit);
        }
        return goes_on;
    }
    const bool first = other_is_leaf || (!is_leaf && lane->area >= other->area);
    const kiln_level *of = first ? lane : other, *against = first ? other : lane;
    if (is_leaf == other_is_leaf || kiln_level_may_open(&in->descent, &in->leaves, of, against)) {
        open_into_step(in, of, against, at, number);
        *opened = true;
    } else if (number != NONE) {
        const double ahead = REACH_AHEAD * in->front->motion / in->front->world;
        const bool is_near = kiln_level_reaches(&in->descent, &in->leaves, of, against, ahead);
        in->cost += 2 * COST_OF_NODE;
        set_deadline(in, number, is_near ? 0 : ahead * in->front->world * (1 - 0x1p-50));
    }
    return true;
}

/* Looks into the lanes of the level `at`, which is the first above those that a descent begins
 * with. False: the query is at its end. */
static bool look_below(auto_front *in, kiln_level *at)
{
    kiln_level *const bottom = at;
    for (;;) {
        while (at >= bottom && at->mask == 0) {
            at--;
        }
        if (at < bottom) {
            return true;
        }
        kiln_level_take(&in->descent, at);
        const uint32_t parent = in->places[at - in->levels].entry;
        const uint32_t number = add_entry(in, parent, at->opened.lane);
        bool opened;
        if (!look_at_pair(in, at, at->other, at + 1, number, &opened)) {
            leave_levels(in, at);
            return false;
        }
        at += opened;
    }
}

/* What a volume that is a lane contains. */
static kiln_contents contents_of(const auto_front *in, const front_entry *entry, int tree)
{
    return kiln_node8_contents(kiln_tree_node(tree_of(in, tree), entry->node[tree]),
                               entry->lane[tree]);
}

/* Looks at two volumes, of which `number` is the entry, or NONE: without a front. The volume of a
 * whole tree stands for the node that is given with it. False: the query is at its end. */
static bool look_from(auto_front *in, const uint32_t node[2], const uint8_t lane[2],
                      uint32_t number)
{
    const int first = is_x_of(in, 0) ? 0 : 1; /* X's, as pair_walk.c begins */
    kiln_level *at = in->levels + LEVELS_BEGIN;
    level_of_volume(in, first, node[first], lane[first], 0);
    level_of_volume(in, !first, node[!first], lane[!first], 1);
    for (int i = 0; i < 2; i++) {
        if (in->places[i].lane == ROOT) {
            in->levels[i].contents.first = in->places[i].node;
        }
    }
    bool opened;
    return look_at_pair(in, &in->levels[0], &in->levels[1], at, number, &opened) &&
           (!opened || look_below(in, at));
}

/* Looks at a pair of volumes again, or for the first time. */
static bool look_at_entry(auto_front *in, uint32_t number)
{
    const front_entry *entry = &in->entries[number];
    const int first = is_x_of(in, 0) ? 0 : 1;
    if (entry->lane[0] != ROOT && entry->lane[1] != ROOT) {
        const kiln_contents of_x = contents_of(in, entry, first);
        const kiln_contents of_y = contents_of(in, entry, !first);
        if (of_x.count != 0 && of_y.count != 0) {
            return test_leaves(in, of_x, of_y, number);
        }
    }
    return look_from(in, entry->node, entry->lane, number);
}

/* Tests a step again: lanes that came near are looked into, and what is below lanes that have
 * parted is dropped. */
static bool look_at_step(auto_front *in, uint32_t number)
{
    const front_entry *entry = &in->entries[number];
    const int tree = entry->opened;
    const bool is_x = is_x_of(in, tree);
    const kiln_format_node8 *node = kiln_tree_node(tree_of(in, tree), entry->node[tree]);
    kiln_level *at = in->levels + LEVELS_BEGIN;
    if (entry->lane[!tree] == ROOT) {
        level_of_volume(in, !tree, 0, ROOT, 0);
    } else {
        begin_kept_level(in, entry, !tree, &in->levels[0]);
    }
    at->other = &in->levels[0];
    at->is_x = is_x;
    const uint32_t met = in->descent.open[is_x](node, &in->descent.to[is_x], &in->levels[0].opened,
                                                false, &at->opened, &in->probe);
    in->cost += COST_OF_RETEST;
    in->front->counts.volume_tests++;
    if ((entry->down & ~met) != 0) {
        drop_below(in, number, entry->down & ~met);
    }
    at->mask = entry->own & met;
    in->places[at - in->levels] = (level_place){entry->node[tree], number, 0};
    note_lanes(in, number, at, met);
    if (at->mask == 0) {
        return true;
    }
    if (in->visitor.nearest_first && (at->mask & (at->mask - 1)) != 0) {
        at->opened.order = in->descent.kernel->order(&at->opened, &in->probe, at->mask);
    }
    return look_below(in, at);
}

/* -------------------------------------------------------------------------------------- runs -- */

/* All entries whose proofs have run out. False: the query is at its end. */
static bool run_due(auto_front *in)
{
    const double now = in->front->travelled;
    for (uint32_t i = 0; i < in->used; i += BLOCK) {
        const double *of = in->deadlines + i;
        const double first = of[0] < of[1] ? of[0] : of[1], last = of[2] < of[3] ? of[2] : of[3];
        const double least = first < last ? first : last;
        if (least > now) {
            in->nearest = least < in->nearest ? least : in->nearest;
            continue;
        }
        for (uint32_t number = i; number < i + BLOCK; number++) {
            if (in->deadlines[number] > now) {
                in->nearest = of[number - i] < in->nearest ? of[number - i] : in->nearest;
                continue;
            }
            if (!(in->entries[number].opened == PAIR ? look_at_entry(in, number)
                                                     : look_at_step(in, number))) {
                return false;
            }
        }
    }
    return true;
}

/* Makes all steps due that have lanes that were looked into. */
static void begin_prune(auto_front *in)
{
    const kiln_front *front = in->front;
    const bool is_far = front->travelled - in->pruned_at > PRUNE_PART * front->size;
    if (!is_far && in->count <= PRUNE_GROWTH * in->pruned_count + 16) {
        return;
    }
    for (uint32_t number = 0; number < in->used; number++) {
        const front_entry *entry = &in->entries[number];
        if (entry->opened < PAIR && entry->down != 0) {
            in->deadlines[number] = -HUGE_VAL;
        }
    }
    in->pruned_at = front->travelled;
    in->front->counts.prunes++;
    in->pruned_count = 0; /* once this query is done, their number */
}

static void bind_query(auto_front *in, const kiln_pair_visitor *visitor, bool is_kept)
{
    kiln_front *front = in->front;
    const kiln_pair_frame *frame = &front->frame;
    in->given = visitor;
    in->visitor = *visitor;
    in->visitor.visit = note_pair;
    in->visitor.user = in;
    in->any = false;
    in->passed_on = false;
    in->nearest = HUGE_VAL;
    kiln_descent_make(frame, &in->visitor, is_kept, &in->descent);
    kiln_leaf_pair_begin(&in->leaves, in->descent.kernel);
    /* Directions are off by epsilon, lengths by less than twice that. */
    const double kept = front->world * (1 - 2 * (double)frame->epsilon);
    in->unit[1] = kiln_power_of_two(frame->x->view.entry->scale_exponent) * kept;
    in->unit[0] = kiln_power_of_two(frame->y->view.entry->scale_exponent) * frame->scale * kept;
    in->descent.to[0].margins = in->descent.to[1].margins =
        is_kept && frame->to_x.scale < KILN_GAP_RANGE && frame->to_y.scale < KILN_GAP_RANGE &&
        frame->to_x.slack < (double)KILN_GAP_RANGE && frame->to_y.slack < (double)KILN_GAP_RANGE;
}

/* What a query from the roots would do: the steps of a front that has just been pruned. */
static uint64_t cost_of_entries(const auto_front *in)
{
    uint64_t cost = 0;
    for (uint32_t number = 0; number < in->used; number++) {
        const uint8_t opened = in->entries[number].opened;
        cost += opened < PAIR ? COST_OF_NODE : opened == PAIR ? COST_OF_LEAVES : 0;
    }
    return cost;
}

/* Is the front worth its while? What queries have saved, compared to queries from the roots, is
 * summed up; it is dropped when half of such a query has been lost. */
static void weigh_front(auto_front *in)
{
    const int64_t fresh = (int64_t)in->cost_of_fresh;
    in->saved += fresh - (int64_t)in->cost;
    in->saved = in->saved < SAVED_MOST * fresh ? in->saved : SAVED_MOST * fresh;
    in->age++;
    if (in->saved < -fresh / 2 && !in->front->always) {
        in->penalty = in->age > PAUSE_LEAST || in->penalty == 0 ? PAUSE_LEAST : 4 * in->penalty;
        in->penalty = in->penalty < PAUSE_MOST ? in->penalty : PAUSE_MOST;
        in->pause = in->penalty;
        drop_front(in);
    }
}

/* From the front, or, where there is none, from the roots into one. */
static double run_kept(auto_front *in)
{
    kiln_front *front = in->front;
    const bool is_built = !in->is_live;
    bool done;
    in->cost = COST_OF_QUERY;
    if (!is_built) {
        front->counts.coherent++;
        begin_prune(in);
        done = run_due(in);
    } else {
        front->counts.fresh++;
        drop_front(in);
        const uint32_t first = add_entry(in, NONE, 0);
        in->entries[first].lane[0] = in->entries[first].lane[1] = ROOT;
        in->is_live = true;
        in->pruned_at = front->travelled;
        in->pruned_count = 0;
        done = look_at_entry(in, first);
        in->saved = 0;
        in->age = 0;
    }
    if (in->is_full || in->passed_on) {
        const bool was_full = in->is_full;
        drop_front(in);
        in->pause = was_full && !front->always ? PAUSE_MOST : 0;
        return 0;
    }
    if (in->pruned_count == 0) {
        in->pruned_count = in->count;
        in->cost_of_fresh = cost_of_entries(in);
    }
    if (is_built) { /* it has cost what it would have anyway, and margins */
        in->cost = in->cost_of_fresh;
    }
    weigh_front(in);
    return done && !in->any && in->nearest < HUGE_VAL ? in->nearest - front->travelled : 0;
}

/* Are there triangles that meet near those that met last: in the same two leaves, or in one of them
 * and the other's neighbours in its node? The node is looked into as if it were the root. */
static bool looks_near_hit(auto_front *in)
{
    const front_entry hit = in->hit;
    if (hit.lane[0] == ROOT || hit.lane[1] == ROOT) {
        return false;
    }
    const uint8_t of_b[2] = {hit.lane[0], ROOT}, of_a[2] = {ROOT, hit.lane[1]};
    const bool found = !look_from(in, hit.node, hit.lane, NONE) ||
                       !look_from(in, hit.node, of_b, NONE) || !look_from(in, hit.node, of_a, NONE);
    kiln_front_credit(&in->near_credit, found, NEAR_EARNED);
    return found;
}

/* A query without a front. */
static void run_fresh(auto_front *in)
{
    static const uint32_t nodes[2] = {0, 0};
    static const uint8_t lanes[2] = {ROOT, ROOT};
    kiln_front *front = in->front;
    const bool tries_near = in->has_hit && kiln_front_pays(front, in->near_credit);
    in->is_full = true; /* nothing is kept */
    const bool notes_hit =
        in->near_credit > 0 || (front->counts.queries + 1) % KILN_FRONT_SELDOM == 0;
    if (!in->visitor.nearest_first || in->streak > 0 || !(notes_hit || tries_near)) {
        kiln_tree_box root_x, root_y;
        kiln_tree_box_root(&front->frame, true, &root_x);
        kiln_tree_box_root(&front->frame, false, &root_y);
        kiln_pair_walk_from(&front->frame, &root_x, &root_y, &in->visitor);
    } else if (!tries_near || !looks_near_hit(in)) {
        in->has_hit = false;
        (void)look_from(in, nodes, lanes, NONE);
    }
    front->counts.fresh++;
}

/* The motion since this query is of use to the next one if that can be made from a front, which is
 * so only where nothing was found. */
static bool auto_wants_motion(const kiln_front *front)
{
    const auto_front *in = (const auto_front *)front->index;
    return (in->pause <= 1 && in->streak > 0) || front->always;
}

static double auto_run(kiln_front *front, const kiln_pair_visitor *visitor)
{
    auto_front *in = (auto_front *)front->index;
    const double most = COHERENCE_PART * front->size;
    const bool is_wanted = front->motion <= most && in->streak > 0;
    const bool is_large = front->motion > most && front->motion < HUGE_VAL && !front->always;
    const bool is_coherent = (is_wanted || (front->always && front->motion < HUGE_VAL)) &&
                             in->pause == 0 && !kiln_once_is_needed(&front->frame, visitor);
    double apart = 0;
    in->front = front;
    if (!is_coherent || !in->is_live) {
        const double gap = kiln_roots_gap(&front->frame);
        drop_front(in);
        in->pause -= in->pause > 0;
        if (in->pause == 0 && is_large) {
            in->pause = PAUSE_LARGE;
        }
        if (!(gap < 0)) {
            front->counts.fresh++;
            front->counts.entries = 0;
            in->streak++;
            in->pause = in->penalty = 0;
            in->has_hit = false;
            return gap * front->world * (1 - 0x1p-50);
        }
    }
    kiln_pair_frame_form_maps(&front->frame);
    bind_query(in, visitor, is_coherent);
    if (is_coherent) {
        apart = run_kept(in);
    } else {
        run_fresh(in);
    }
    in->streak = in->any ? 0 : in->streak + 1;
    front->counts.entries = in->is_live ? in->count : 0;
    return apart;
}

const kiln_front_way kiln_front_auto = {
    .takes = auto_takes,
    .size = auto_size,
    .place = auto_place,
    .reset = auto_reset,
    .wants_motion = auto_wants_motion,
    .run = auto_run,
    .shortcuts = true,
};
