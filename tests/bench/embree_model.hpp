/* A mesh as Embree 3 holds it, queried ray by ray, from the origin on without end. */
#ifndef KILN_BENCH_EMBREE_MODEL_HPP
#define KILN_BENCH_EMBREE_MODEL_HPP

#include "shapes.h"

#include <embree3/rtcore.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

class EmbreeModel
{
  public:
    EmbreeModel(RTCDevice device, const mesh &m, RTCSceneFlags flags) : scene(rtcNewScene(device))
    {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        void *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0,
                                                 RTC_FORMAT_FLOAT3, 12, m.vertex_count);
        void *indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0,
                                                RTC_FORMAT_UINT3, 12, m.triangle_count);
        if (vertices == nullptr || indices == nullptr) {
            std::fputs("Embree's buffers failed\n", stderr);
            std::exit(2);
        }
        std::memcpy(vertices, m.positions, size_t(12) * m.vertex_count);
        std::memcpy(indices, m.indices, size_t(12) * m.triangle_count);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcSetSceneFlags(scene, flags);
        rtcCommitScene(scene);
    }
    ~EmbreeModel()
    {
        rtcReleaseScene(scene);
    }
    EmbreeModel(const EmbreeModel &) = delete;
    EmbreeModel &operator=(const EmbreeModel &) = delete;

    /* t of the closest hit, infinity where there is none. */
    float closest(const float origin[3], const float direction[3]) const
    {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        RTCRayHit query = query_of(origin, direction);
        rtcIntersect1(scene, &context, &query);
        return query.hit.geomID != RTC_INVALID_GEOMETRY_ID ? query.ray.tfar : INFINITY;
    }

    bool occluded(const float origin[3], const float direction[3]) const
    {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        RTCRayHit query = query_of(origin, direction);
        rtcOccluded1(scene, &context, &query.ray);
        return query.ray.tfar < 0;
    }

    struct Crossings {
        RTCIntersectContext context; /* first: the filter is handed this */
        int count, winding;
    };

    /* How many triangles the ray crosses, and how often more one way than the other. The model's
     * flags must have RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION. */
    Crossings crossings(const float origin[3], const float direction[3]) const
    {
        Crossings all;
        rtcInitIntersectContext(&all.context);
        all.context.filter = count_and_go_on;
        all.count = all.winding = 0;
        RTCRayHit query = query_of(origin, direction);
        rtcIntersect1(scene, &all.context, &query);
        return all;
    }

    struct Nearest {
        const mesh *geometry;
        unsigned triangle;
        float square;
    };

    /* The nearest triangle and the square of its distance, in floats, of the mesh that the model was
     * made of: Embree finds triangles whose boxes are near enough, and leaves them to its caller. */
    Nearest nearest(const float from[3], const mesh &geometry) const
    {
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        RTCPointQuery query;
        query.x = from[0];
        query.y = from[1];
        query.z = from[2];
        query.time = 0;
        query.radius = INFINITY;
        Nearest best = {&geometry, ~0u, INFINITY};
        rtcPointQuery(scene, &query, &context, take_nearer, &best);
        return best;
    }

  private:
    static float dot(const float a[3], const float b[3])
    {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }

    /* After Ericson, Real-Time Collision Detection, 2005, section 5.1.5, as tutorials of Embree do. */
    static float square_of(const float p[3], const float *a, const float *b, const float *c)
    {
        float ab[3], ac[3], ap[3], bp[3], cp[3], off[3];
        for (int k = 0; k < 3; k++) {
            ab[k] = b[k] - a[k];
            ac[k] = c[k] - a[k];
            ap[k] = p[k] - a[k];
            bp[k] = p[k] - b[k];
            cp[k] = p[k] - c[k];
        }
        const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp),
                    d5 = dot(ab, cp), d6 = dot(ac, cp);
        if (d1 <= 0 && d2 <= 0) {
            return dot(ap, ap);
        }
        if (d3 >= 0 && d4 <= d3) {
            return dot(bp, bp);
        }
        if (d6 >= 0 && d5 <= d6) {
            return dot(cp, cp);
        }
        const float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
        float v, w;
        if (vc <= 0 && d1 >= 0 && d3 <= 0) {
            v = d1 / (d1 - d3);
            w = 0;
        } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
            v = 0;
            w = d2 / (d2 - d6);
        } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
            w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
            v = 1 - w;
        } else {
            const float part = 1 / (va + vb + vc);
            v = vb * part;
            w = vc * part;
        }
        for (int k = 0; k < 3; k++) {
            off[k] = ap[k] - v * ab[k] - w * ac[k];
        }
        return dot(off, off);
    }

    static bool take_nearer(RTCPointQueryFunctionArguments *of)
    {
        Nearest *best = static_cast<Nearest *>(of->userPtr);
        const mesh &m = *best->geometry;
        const uint32_t *corner = m.indices + 3 * size_t(of->primID);
        const float p[3] = {of->query->x, of->query->y, of->query->z};
        const float square =
            square_of(p, m.positions + 3 * size_t(corner[0]), m.positions + 3 * size_t(corner[1]),
                      m.positions + 3 * size_t(corner[2]));
        if (!(square < best->square)) {
            return false;
        }
        best->square = square;
        best->triangle = of->primID;
        of->query->radius = std::sqrt(square);
        return true;
    }

    static RTCRayHit query_of(const float origin[3], const float direction[3])
    {
        RTCRayHit query;
        query.ray.org_x = origin[0];
        query.ray.org_y = origin[1];
        query.ray.org_z = origin[2];
        query.ray.dir_x = direction[0];
        query.ray.dir_y = direction[1];
        query.ray.dir_z = direction[2];
        query.ray.tnear = 0;
        query.ray.tfar = INFINITY;
        query.ray.time = 0;
        query.ray.mask = ~0u;
        query.ray.id = 0;
        query.ray.flags = 0;
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
        return query;
    }

    static void count_and_go_on(const RTCFilterFunctionNArguments *of)
    {
        Crossings *all = reinterpret_cast<Crossings *>(of->context);
        const float along = RTCHitN_Ng_x(of->hit, 1, 0) * RTCRayN_dir_x(of->ray, 1, 0) +
                            RTCHitN_Ng_y(of->hit, 1, 0) * RTCRayN_dir_y(of->ray, 1, 0) +
                            RTCHitN_Ng_z(of->hit, 1, 0) * RTCRayN_dir_z(of->ray, 1, 0);
        all->count++;
        all->winding += along > 0 ? 1 : -1;
        of->valid[0] = 0;
    }

    RTCScene scene;
};

#endif
