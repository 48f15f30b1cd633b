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

  private:
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
