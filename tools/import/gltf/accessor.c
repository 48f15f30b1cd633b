/* Accessors of glTF (glTF 2.0, 3.6.2).
 *
 * An accessor is loaded in two steps, whatever it is for: elements are gathered from its view into
 * an array without gaps, or are zeros where it has no view; then those of its sparse part replace
 * others. Each range is checked before a byte of it is read: the last element needs its own bytes
 * only, not a whole stride. What the components mean is decided when they are taken out.
 *
 * Numbers of bytes are sums and products of values below 2^53 and 2^31: they fit 64 bits. */
#include "accessor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "buffer.h"

#define BOUND_TOLERANCE 1e-5 /* of the largest component, for bounds */

enum { BLOCK_SIZE = 1 << 16 }; /* of a view with gaps, read at once */

static unsigned width_of(unsigned type)
{
    return type == GLTF_BYTE || type == GLTF_UNSIGNED_BYTE     ? 1
           : type == GLTF_SHORT || type == GLTF_UNSIGNED_SHORT ? 2
                                                               : 4;
}

static unsigned set_of(unsigned type)
{
    switch (type) {
    case GLTF_BYTE:
        return GLTF_IS_BYTE;
    case GLTF_UNSIGNED_BYTE:
        return GLTF_IS_UNSIGNED_BYTE;
    case GLTF_SHORT:
        return GLTF_IS_SHORT;
    case GLTF_UNSIGNED_SHORT:
        return GLTF_IS_UNSIGNED_SHORT;
    case GLTF_UNSIGNED_INT:
        return GLTF_IS_UNSIGNED_INT;
    default:
        return type == GLTF_FLOAT ? GLTF_IS_FLOAT : 0;
    }
}

/* The name of the type that has so many components. */
static const char *name_of(unsigned elements)
{
    return elements == 1 ? "SCALAR" : elements == 3 ? "VEC3" : elements == 4 ? "VEC4" : "MAT4";
}

gltf_shape kiln_gltf_shape(const gltf *g, size_t index, unsigned components, unsigned elements)
{
    const gltf_place at = kiln_gltf_item(&g->lists[GLTF_ACCESSORS], index);
    const gltf_place count = kiln_gltf_member(&at, "count");
    const gltf_place component = kiln_gltf_member(&at, "componentType");
    const gltf_place type_place = kiln_gltf_member(&at, "type");
    const gltf_place normalized = kiln_gltf_member(&at, "normalized");
    const char *type = kiln_gltf_text(g, &at, "type");
    gltf_shape shape = {.index = index, .elements = elements};

    shape.type = (unsigned)kiln_gltf_whole_at(g, &component, GLTF_BYTE, GLTF_FLOAT);
    if ((set_of(shape.type) & components) == 0)
        kiln_gltf_fail(g, &component, "%u is not possible for what it is used for%s", shape.type,
                       g->quantized ? "" : " (without KHR_mesh_quantization)");
    if (type == NULL || strcmp(type, name_of(elements)) != 0)
        kiln_gltf_fail(g, &type_place, "it is \"%.20s\", where %s is needed",
                       type != NULL ? type : "", name_of(elements));
    shape.normalized = kiln_gltf_flag(g, &at, "normalized");
    if (shape.normalized && (shape.type == GLTF_FLOAT || shape.type == GLTF_UNSIGNED_INT))
        kiln_gltf_fail(g, &normalized, "components of 32 bits can't be normalized");
    /* Corners and vertices are counted in 31 bits. */
    shape.count = kiln_gltf_whole_at(g, &count, 1, UINT64_C(1) << 53);
    if (shape.count > 0x7FFFFFFF)
        kiln_gltf_fail_unsupported(g, &count, "more than 2147483647 elements; split the model");
    shape.width = width_of(shape.type);
    return shape;
}

/* Checks where `count` elements of `size` bytes are in a view, which are multiples of `width`. */
static uint64_t find_elements(const gltf *g, const gltf_place *at, const gltf_view *view,
                              uint64_t count, uint64_t size, unsigned width, uint64_t stride)
{
    const gltf_place offset_place = kiln_gltf_member(at, "byteOffset");
    const uint64_t offset = kiln_gltf_whole(g, at, "byteOffset", 0, UINT64_C(1) << 53, 0);
    const uint64_t bytes = stride * (count - 1) + size;

    KILN_ASSERT(count > 0 && stride >= size);
    if (offset % width != 0 || (view->offset + offset) % width != 0)
        kiln_gltf_fail(g, offset_place.json != NULL ? &offset_place : at,
                       "byte %llu of the buffer is no multiple of the %u bytes of a component",
                       (unsigned long long)(view->offset + offset), width);
    if (offset > view->length || bytes > view->length - offset)
        kiln_gltf_fail(g, at,
                       "its %llu elements need %llu bytes from byte %llu on, and the view "
                       "/bufferViews/%zu has %llu",
                       (unsigned long long)count, (unsigned long long)bytes,
                       (unsigned long long)offset, view->index, (unsigned long long)view->length);
    return offset;
}

/* Gathers elements of a view with gaps, by blocks of whole strides. */
static void gather(const gltf *g, const gltf_view *view, uint64_t offset, uint64_t count,
                   size_t size, size_t stride, uint8_t *to)
{
    static uint8_t block[BLOCK_SIZE];
    const uint64_t most = BLOCK_SIZE / stride;

    KILN_ASSERT(most > 0 && size <= stride);
    for (uint64_t done = 0; done < count;) {
        const uint64_t take = count - done < most ? count - done : most;

        kiln_gltf_view_read(g, view, offset + done * stride, block, (take - 1) * stride + size);
        for (uint64_t i = 0; i < take; i++)
            memcpy(to + (done + i) * size, block + i * stride, size);
        done += take;
    }
}

/* Puts the elements of the sparse part in; their indices have to rise. */
static void put_sparse(gltf *g, const gltf_place *at, const gltf_shape *shape, uint8_t *elements)
{
    const gltf_place sparse = kiln_gltf_object(g, at, "sparse");
    const gltf_place count_place = kiln_gltf_member(&sparse, "count");
    const gltf_place indices = kiln_gltf_object(g, &sparse, "indices");
    const gltf_place values = kiln_gltf_object(g, &sparse, "values");
    const gltf_place component = kiln_gltf_member(&indices, "componentType");
    const gltf_place index_view_place = kiln_gltf_member(&indices, "bufferView");
    const gltf_place value_view_place = kiln_gltf_member(&values, "bufferView");
    const size_t size = shape->width * shape->elements;
    uint8_t *index_bytes, *value_bytes;
    uint64_t count, offset, last = 0;
    gltf_view view;
    unsigned type, width;

    if (sparse.json == NULL)
        return;
    count = kiln_gltf_whole_at(g, &count_place, 1, shape->count);
    type = (unsigned)kiln_gltf_whole_at(g, &component, GLTF_BYTE, GLTF_FLOAT);
    if ((set_of(type) & (GLTF_IS_UNSIGNED_BYTE | GLTF_IS_UNSIGNED_SHORT | GLTF_IS_UNSIGNED_INT)) ==
        0)
        kiln_gltf_fail(g, &component, "%u is not possible for indices", type);
    width = width_of(type);

    view = kiln_gltf_view(g, kiln_gltf_reference_at(g, &index_view_place, GLTF_VIEWS));
    if (view.stride != 0)
        kiln_gltf_fail(g, &index_view_place, "its view must not have a stride");
    offset = find_elements(g, &indices, &view, count, width, width, width);
    index_bytes = kiln_gltf_alloc(g, count, width);
    kiln_gltf_view_read(g, &view, offset, index_bytes, count * width);

    view = kiln_gltf_view(g, kiln_gltf_reference_at(g, &value_view_place, GLTF_VIEWS));
    if (view.stride != 0)
        kiln_gltf_fail(g, &value_view_place, "its view must not have a stride");
    offset = find_elements(g, &values, &view, count, size, shape->width, size);
    value_bytes = kiln_gltf_alloc(g, count, size);
    kiln_gltf_view_read(g, &view, offset, value_bytes, count * size);

    for (size_t i = 0; i < count; i++) {
        const uint32_t index = kiln_gltf_unsigned(width, index_bytes, i);

        if (index >= shape->count)
            kiln_gltf_fail(g, &indices, "number %zu is element %lu, where there are %llu", i,
                           (unsigned long)index, (unsigned long long)shape->count);
        if (i > 0 && index <= last)
            kiln_gltf_fail(g, &indices, "number %zu is element %lu, after element %llu: they rise",
                           i, (unsigned long)index, (unsigned long long)last);
        memcpy(elements + index * size, value_bytes + i * size, size);
        last = index;
    }
    free(index_bytes);
    free(value_bytes);
}

/* The least and the largest of the components, each as it is stored. */
static void measure(const gltf_shape *shape, const uint8_t *bytes, double least[16],
                    double most[16])
{
    const gltf_shape stored = {.type = shape->type, .width = shape->width};
    const unsigned n = shape->elements;

    for (unsigned k = 0; k < n; k++) {
        least[k] = INFINITY;
        most[k] = -INFINITY;
    }
    for (uint64_t i = 0; i < shape->count; i++)
        for (unsigned k = 0; k < n; k++) {
            const size_t component = (size_t)(i * n + k);
            double value;
            float real;

            if (shape->type == GLTF_FLOAT) { /* nearly always, and of many */
                memcpy(&real, bytes + component * sizeof real, sizeof real);
                value = (double)real;
            } else {
                value = kiln_gltf_value(&stored, bytes, component);
            }
            least[k] = value < least[k] ? value : least[k];
            most[k] = value > most[k] ? value : most[k];
        }
}

/* Warns where the bounds that an accessor declares are not those of its elements: one of the two is
 * wrong, and no file can say which. Decimals of a few digits are no difference. Bounds that are no
 * such numbers bound nothing. */
static void check_bounds(gltf *g, const gltf_place *at, const gltf_shape *shape,
                         const uint8_t *bytes)
{
    static const char *const keys[] = {"min", "max"};
    double bounds[2][16], size = 0;
    bool any = false;

    if (g->bounded[shape->index])
        return;
    g->bounded[shape->index] = true;
    for (size_t b = 0; b < 2; b++)
        any |= json_array_size(json_object_get(at->json, keys[b])) == shape->elements;
    if (!any)
        return;
    KILN_ASSERT(shape->elements <= 16);
    measure(shape, bytes, bounds[0], bounds[1]);
    for (unsigned k = 0; k < shape->elements; k++)
        size = fmax(size, fmax(fabs(bounds[0][k]), fabs(bounds[1][k])));
    for (size_t b = 0; b < 2; b++) {
        const gltf_place list = kiln_gltf_member(at, keys[b]);

        for (size_t k = 0; json_array_size(list.json) == shape->elements && k < shape->elements;
             k++) {
            const gltf_place item = {.json = json_array_get(list.json, k), .in = &list, .index = k};
            const double declared = json_number_value(item.json);

            if (!json_is_number(item.json) ||
                !(fabs(declared - bounds[b][k]) > BOUND_TOLERANCE * size))
                continue;
            kiln_gltf_warn(g, &item,
                           "it is %.9g, and the %s value is %.9g: it or the data are wrong",
                           declared, b == 0 ? "least" : "largest", bounds[b][k]);
            return;
        }
    }
}

uint8_t *kiln_gltf_load(gltf *g, const gltf_shape *shape, gltf_use use)
{
    const gltf_place at = kiln_gltf_item(&g->lists[GLTF_ACCESSORS], shape->index);
    const gltf_place view_place = kiln_gltf_member(&at, "bufferView");
    const gltf_place offset_place = kiln_gltf_member(&at, "byteOffset");
    const size_t size = shape->width * shape->elements;
    const size_t number = kiln_gltf_reference(g, &at, "bufferView", GLTF_VIEWS);
    uint8_t *elements = kiln_gltf_alloc(g, shape->count, size);

    if (number != SIZE_MAX) {
        const gltf_view view = kiln_gltf_view(g, number);
        const uint64_t stride = view.stride != 0 ? view.stride : size;
        const gltf_place stride_place = kiln_gltf_member(&view.place, "byteStride");
        uint64_t offset;

        if (view.stride != 0 && use == GLTF_OF_OTHERS)
            kiln_gltf_fail(g, &stride_place, "a stride is for vertices only");
        if (stride < size)
            kiln_gltf_fail(g, &stride_place, "it is %llu, less than the %zu bytes of an element",
                           (unsigned long long)stride, size);
        offset = find_elements(g, &at, &view, shape->count, size, shape->width, stride);
        if (use == GLTF_OF_VERTICES && (stride % 4 != 0 || offset % 4 != 0) && shape->count > 1)
            kiln_gltf_fail(g, view.stride != 0 ? &view.place : &view_place,
                           "vertices %llu bytes apart from byte %llu on: both have to be "
                           "multiples of 4",
                           (unsigned long long)stride, (unsigned long long)offset);
        if (stride == size)
            kiln_gltf_view_read(g, &view, offset, elements, shape->count * size);
        else
            gather(g, &view, offset, shape->count, size, (size_t)stride, elements);
    } else if (offset_place.json != NULL) {
        kiln_gltf_fail(g, &offset_place, "an offset without a view");
    }
    put_sparse(g, &at, shape, elements);
    check_bounds(g, &at, shape, elements);
    return elements;
}

uint32_t kiln_gltf_unsigned(unsigned width, const uint8_t *bytes, size_t component)
{
    const uint8_t *from = bytes + component * width;
    uint32_t value = from[0];

    KILN_ASSERT(width == 1 || width == 2 || width == 4);
    for (unsigned i = 1; i < width; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

/* A normalized whole number is a part of the largest; of a signed type, the least counts as -1. */
double kiln_gltf_value(const gltf_shape *shape, const uint8_t *bytes, size_t component)
{
    const uint32_t bits = kiln_gltf_unsigned(shape->width, bytes, component);
    double value, most;
    float real;

    switch (shape->type) {
    case GLTF_FLOAT:
        memcpy(&real, &bits, sizeof real);
        return (double)real;
    case GLTF_BYTE:
        value = (double)(int8_t)bits;
        most = 127;
        break;
    case GLTF_SHORT:
        value = (double)(int16_t)bits;
        most = 32767;
        break;
    case GLTF_UNSIGNED_BYTE:
        value = (double)bits;
        most = 255;
        break;
    default:
        value = (double)bits;
        most = 65535;
        break;
    }
    if (!shape->normalized)
        return value;
    return value < -most ? -1 : value / most;
}
