/* Contact regions as a caller asks for them: the workplace, and the steps of a query. */
#include "regions.h"

#include "../base/caller_memory.h"
#include "../base/options.h"
#include "../pose/world.h"
#include "../walk/pair_walk.h"

#include <string.h>

enum { CAPACITY_MOST = 1 << 28 };

/* ---------------------------------------------------------------------------------- memory -- */

/* Gives out arrays one after the other; with no memory it only counts. */
typedef struct {
    uint8_t *start;
    uint64_t used;
} region_memory;

static void *take_array(region_memory *memory, size_t count, size_t element)
{
    uint8_t *array = memory->start != NULL ? memory->start + memory->used : NULL;
    memory->used += ((uint64_t)count * element + 7) / 8 * 8;
    return array;
}

/* A triangle that is met is one of a pair, so there are at most two to a pair; each has three
 * corners, and three edges from which a patch may be filled. */
static void lay_out_regions(region_memory *memory, uint32_t triangles, uint32_t pairs,
                            kiln_regions *r)
{
    const size_t met = 2 * (size_t)pairs;
    r->pairs = (kiln_regions_pair *)take_array(memory, pairs, sizeof *r->pairs);
    r->spare = (kiln_regions_pair *)take_array(memory, pairs, sizeof *r->spare);
    r->segments = (kiln_regions_segment *)take_array(memory, pairs, sizeof *r->segments);
    r->parents = (uint32_t *)take_array(memory, pairs, sizeof *r->parents);
    r->curves = (uint32_t *)take_array(memory, pairs, sizeof *r->curves);
    r->next_pair = (uint32_t *)take_array(memory, pairs, sizeof *r->next_pair);
    r->next_curve = (uint32_t *)take_array(memory, pairs, sizeof *r->next_curve);
    r->first_fill = (uint32_t *)take_array(memory, pairs, sizeof *r->first_fill);
    r->met = (kiln_regions_met *)take_array(memory, met, sizeof *r->met);
    r->nodes = (uint32_t *)take_array(memory, 3 * met, sizeof *r->nodes);
    r->sides = (kiln_regions_side *)take_array(memory, 3 * met, sizeof *r->sides);
    r->fills = (kiln_regions_fill *)take_array(memory, 3 * met, sizeof *r->fills);
    r->orders = (kiln_regions_order *)take_array(memory, 2 * (size_t)pairs, sizeof *r->orders);
    r->marks = (uint32_t *)take_array(memory, triangles, sizeof *r->marks);
    r->list = (uint32_t *)take_array(memory, triangles, sizeof *r->list);
}

/* 0: more than there may be, or than memory has. */
static size_t size_of_regions(uint32_t triangles, uint32_t pairs)
{
    if (triangles > CAPACITY_MOST || pairs > CAPACITY_MOST) {
        return 0;
    }
    kiln_regions r;
    region_memory memory = {NULL, (sizeof r + 7) / 8 * 8};
    lay_out_regions(&memory, triangles, pairs, &r);
    return memory.used <= SIZE_MAX / 2 ? (size_t)memory.used : 0;
}

size_t kiln_regions_size(uint32_t triangles, uint32_t pairs)
{
    const size_t size = size_of_regions(triangles, pairs);
    return size != 0 ? size + 7 : 0;
}

kiln_status kiln_regions_place(void *memory, size_t size, uint32_t triangles, uint32_t pairs,
                               kiln_regions **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    const size_t skip = kiln_memory_skip(memory, 8);
    const size_t needed = size_of_regions(triangles, pairs);
    if (memory == NULL || needed == 0 || size < skip + needed) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_regions *r = (kiln_regions *)(void *)((uint8_t *)memory + skip);
    region_memory arrays = {(uint8_t *)memory + skip, (sizeof *r + 7) / 8 * 8};
    memset(r, 0, sizeof *r);
    lay_out_regions(&arrays, triangles, pairs, r);
    memset(r->marks, 0, triangles * sizeof *r->marks);
    r->triangle_capacity = triangles;
    r->pair_capacity = pairs;
    *out = r;
    return KILN_OK;
}

kiln_status kiln_regions_needed(const kiln_regions *regions, uint32_t *triangles, uint32_t *pairs)
{
    if (regions == NULL || triangles == NULL || pairs == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *triangles = regions->needed_triangles;
    *pairs = regions->needed_pairs;
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- query -- */

/* What the walk finds. */
typedef struct {
    kiln_regions *r;
    const kiln_adjacency *a, *b;
    size_t count;
} region_visit;

static bool take_region_pair(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    region_visit *visit = (region_visit *)user;
    kiln_regions *r = visit->r;
    if (visit->count == 0) {
        r->frame = *frame;
    }
    if (visit->count < r->pair_capacity) {
        const kiln_pair ids = kiln_pair_ids(frame, x, y);
        const uint32_t first_a = visit->a->first, first_b = visit->b->first;
        kiln_regions_pair *pair = &r->pairs[visit->count];
        pair->id_x = frame->swapped ? ids.b : ids.a;
        pair->id_y = frame->swapped ? ids.a : ids.b;
        pair->x = x - (frame->swapped ? first_b : first_a);
        pair->y = y - (frame->swapped ? first_a : first_b);
    }
    visit->count++;
    return true;
}

static void set_region_mesh(kiln_regions_mesh *mesh, const kiln_adjacency *of,
                            const kiln_adjacency *other, const kiln_pose *pose, uint32_t *marks)
{
    mesh->of = of;
    mesh->other = other;
    mesh->pose = pose;
    mesh->marks = marks;
    mesh->turned = of->turned;
}

/* Lists of the pairs of each curve, by their first pairs, ascending. */
static void list_curves(kiln_regions *r)
{
    uint32_t *last = r->first_fill; /* of each curve: what was listed of it last */
    for (uint32_t i = 0; i < r->pair_count; i++) {
        /* Parents come first, and have been given their roots. */
        const uint32_t root = r->parents[r->parents[i]];
        r->curves[i] = r->parents[i] = root;
        r->next_pair[i] = KILN_REGIONS_NONE;
        if (root != i) {
            r->next_pair[last[root]] = i;
        }
        last[root] = i;
    }
}

/* Lists of the curves of each region, likewise, and of its fills. */
static void list_regions(kiln_regions *r)
{
    uint32_t *last = r->first_fill;
    for (uint32_t i = 0; i < r->pair_count; i++) {
        if (r->curves[i] == i) {
            const uint32_t root = kiln_regions_root(r->parents, i);
            r->next_curve[i] = KILN_REGIONS_NONE;
            if (root != i) {
                r->next_curve[last[root]] = i;
            }
            last[root] = i;
        }
    }
    for (uint32_t i = 0; i < r->pair_count; i++) {
        r->first_fill[i] = KILN_REGIONS_NONE;
    }
    for (uint32_t f = 0; f < r->fill_count; f++) {
        if (r->fills[f].pair != KILN_REGIONS_NONE) {
            uint32_t *first = &r->first_fill[r->fills[f].pair];
            r->fills[f].next = *first;
            *first = f;
        }
    }
}

/* The caller's array, as a heap whose root is the region that matters least: the shallowest, of
 * equal ones the last. */
typedef struct {
    kiln_region *kept;
    size_t capacity, count;
} region_heap;

static bool matters_less(const kiln_region *p, const kiln_region *q)
{
    return p->depth != q->depth ? p->depth < q->depth : p->id > q->id;
}

static void sink_region(kiln_region *heap, size_t size, const kiln_region *region)
{
    size_t place = 0;
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= size) {
            break;
        }
        child += child + 1 < size && matters_less(&heap[child + 1], &heap[child]);
        if (!matters_less(&heap[child], region)) {
            break;
        }
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = *region;
}

static void keep_region(region_heap *heap, const kiln_region *region)
{
    if (heap->count < heap->capacity) {
        size_t place = heap->count;
        for (; place > 0 && matters_less(region, &heap->kept[(place - 1) / 2]);
             place = (place - 1) / 2) {
            heap->kept[place] = heap->kept[(place - 1) / 2];
        }
        heap->kept[place] = *region;
    } else if (heap->capacity > 0 && matters_less(&heap->kept[0], region)) {
        sink_region(heap->kept, heap->capacity, region);
    }
    heap->count++;
}

static void sort_regions(region_heap *heap)
{
    size_t size = heap->count < heap->capacity ? heap->count : heap->capacity;
    while (size > 1) {
        const kiln_region last = heap->kept[--size];
        heap->kept[size] = heap->kept[0];
        sink_region(heap->kept, size, &last);
    }
}

/* Triangles are turned about by a mirror; what is their front stays it. */
static bool is_mirror(const kiln_transform *carry)
{
    double inverse[9];
    return kiln_matrix_invert_wide(carry->rotation, inverse) < 0;
}

/* All that follows the walk. */
static void form_regions(kiln_regions *r, region_heap *heap)
{
    if (r->frame.affine) {
        memcpy(r->inverse, r->frame.by.inverse, sizeof r->inverse);
        r->x.turned = r->x.turned != is_mirror(&r->frame.by.carry_x);
        r->y.turned = r->y.turned != is_mirror(&r->frame.carry);
    } else {
        kiln_matrix_invert(r->frame.carry.rotation, r->inverse[0]);
    }
    r->met_count = r->fill_count = r->list_count = r->stamp = 0;
    if (r->mark_base > UINT32_MAX - 2 * r->pair_count - 2) {
        memset(r->marks, 0, r->triangle_capacity * sizeof *r->marks);
        r->mark_base = 0;
    }
    kiln_regions_trace(r);
    list_curves(r);
    kiln_regions_fill_patches(r);
    list_regions(r);
    uint64_t id = 0;
    for (uint32_t i = 0; i < r->pair_count; i++) {
        if (kiln_regions_root(r->parents, i) == i) {
            kiln_regions_measure measure;
            kiln_regions_measure_of(r, i, &measure);
            measure.region.id = ++id;
            if (heap->count < heap->capacity ||
                (heap->capacity > 0 && matters_less(&heap->kept[0], &measure.region))) {
                kiln_regions_add_points(r, i, &measure);
            }
            keep_region(heap, &measure.region);
        }
    }
    sort_regions(heap);
    r->mark_base += r->met_count + 1;
}

static void add_region_values(const kiln_tree *a, const kiln_tree *b, region_heap *heap)
{
    for (size_t i = 0; i < heap->count && i < heap->capacity; i++) {
        kiln_pair_add_values(a, b, &heap->kept[i].deepest);
    }
}

kiln_status kiln_contact_regions(kiln_regions *regions, const kiln_adjacency *a,
                                 const kiln_pose *pose_a, const kiln_adjacency *b,
                                 const kiln_pose *pose_b, const kiln_pair_options *options,
                                 kiln_region *out, size_t capacity, size_t *count)
{
    if (regions == NULL || a == NULL || b == NULL || count == NULL ||
        (out == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_regions *r = regions;
    region_visit visit = {r, a, b, 0};
    kiln_pair_filter_bound filter;
    const kiln_pair_visitor visitor = {
        take_region_pair, &visit, false, false, kiln_pair_filter_bind(options, &filter), NULL};
    const kiln_status status = kiln_pair_walk(a->tree, pose_a, b->tree, pose_b, &visitor);
    if (status != KILN_OK) {
        return status;
    }
    const uint64_t triangles = (uint64_t)a->count + b->count;
    r->needed_triangles = triangles < UINT32_MAX ? (uint32_t)triangles : UINT32_MAX;
    r->needed_pairs = visit.count < UINT32_MAX ? (uint32_t)visit.count : UINT32_MAX;
    if (visit.count > r->pair_capacity || triangles > r->triangle_capacity) {
        return KILN_ERROR_FULL;
    }
    region_heap heap = {out, capacity, 0};
    if (visit.count > 0) {
        const bool swapped = r->frame.swapped;
        const kiln_adjacency *x = swapped ? b : a, *y = swapped ? a : b;
        r->pair_count = (uint32_t)visit.count;
        set_region_mesh(&r->x, x, y, swapped ? pose_b : pose_a, r->marks);
        set_region_mesh(&r->y, y, x, swapped ? pose_a : pose_b, r->marks + x->count);
        r->world = kiln_pair_frame_world(&r->frame, pose_a, pose_b);
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(form, form_regions);
        form(r, &heap);
        kiln_fpu_leave(caller);
        add_region_values(a->tree, b->tree, &heap);
    }
    *count = heap.count;
    return KILN_OK;
}
