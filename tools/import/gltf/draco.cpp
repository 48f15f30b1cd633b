/* The one place that calls the Draco library (Google, bitstream 2.2): decodes a mesh into arrays of
 * C. No exception leaves it. Built only where the library is there (Makefile). */
#include "draco.h"

#include <cstdlib>
#include <cstring>
#include <draco/compression/decode.h>
#include <memory>
#include <new>
#include <utility>

/* Fills the attribute's values of all points, converted to its type. False: the stream has none. */
template <typename T>
static bool fill(const draco::Mesh &mesh, const draco::PointAttribute &from,
                 kiln_draco_attribute *to)
{
    T *values = reinterpret_cast<T *>(to->bytes);

    for (draco::PointIndex i(0); i < mesh.num_points(); ++i, values += to->elements)
        if (!from.ConvertValue<T>(from.mapped_index(i), static_cast<int8_t>(to->elements), values))
            return false;
    return true;
}

static bool fill_by_type(const draco::Mesh &mesh, const draco::PointAttribute &from,
                         kiln_draco_attribute *to)
{
    switch (to->type) {
    case 5120:
        return fill<int8_t>(mesh, from, to);
    case 5121:
        return fill<uint8_t>(mesh, from, to);
    case 5122:
        return fill<int16_t>(mesh, from, to);
    case 5123:
        return fill<uint16_t>(mesh, from, to);
    case 5125:
        return fill<uint32_t>(mesh, from, to);
    default:
        return fill<float>(mesh, from, to);
    }
}

static const char *decode(const void *data, size_t size, kiln_draco_mesh *mesh,
                          kiln_draco_attribute *attributes, size_t count)
{
    draco::DecoderBuffer buffer;
    draco::Decoder decoder;

    buffer.Init(static_cast<const char *>(data), size);
    auto result = decoder.DecodeMeshFromBuffer(&buffer);
    if (!result.ok())
        return "it is no mesh of Draco, or a broken one";
    const std::unique_ptr<draco::Mesh> decoded = std::move(result).value();
    if (decoded->num_faces() > 0x7FFFFFFFu / 3 || decoded->num_points() > 0x7FFFFFFFu)
        return "it has more than 2147483647 corners";
    mesh->vertices = decoded->num_points();
    mesh->corners = 3 * static_cast<uint32_t>(decoded->num_faces());
    mesh->indices =
        static_cast<uint32_t *>(std::malloc((size_t(mesh->corners) + 1) * sizeof(uint32_t)));
    if (mesh->indices == nullptr)
        return "";
    for (uint32_t i = 0; i < mesh->corners; i++)
        mesh->indices[i] = decoded->face(draco::FaceIndex(i / 3))[i % 3].value();

    for (size_t i = 0; i < count; i++) {
        const draco::PointAttribute *from = decoded->GetAttributeByUniqueId(attributes[i].id);
        const size_t bytes =
            size_t(mesh->vertices) * attributes[i].width * attributes[i].elements;

        if (from == nullptr)
            return "it has no attribute of that id";
        if (from->num_components() != static_cast<int>(attributes[i].elements))
            return "an attribute has another number of components";
        attributes[i].bytes = static_cast<uint8_t *>(std::malloc(bytes + 1));
        if (attributes[i].bytes == nullptr)
            return "";
        if (!fill_by_type(*decoded, *from, &attributes[i]))
            return "an attribute can't be converted to the type of its accessor";
    }
    return nullptr;
}

extern "C" const char *kiln_draco_decode(const void *data, size_t size, kiln_draco_mesh *mesh,
                                         kiln_draco_attribute *attributes, size_t count)
{
    try {
        return decode(data, size, mesh, attributes, count);
    } catch (const std::bad_alloc &) {
        return "";
    } catch (...) {
        return "it is broken";
    }
}
