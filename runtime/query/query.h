/* What several queries share: options and the filter of queries of one mesh, containment of a
 * point, and the geometry of a contact. */
#ifndef KILN_QUERY_H
#define KILN_QUERY_H

#include "../base/fpu.h"
#include "../base/tree.h"
#include "../pose/pose.h"

/* The caller's options, as far as its version of the struct goes; NULL: defaults. */
kiln_query_options kiln_query_options_of(const kiln_query_options *options);

/* A filter, and the floating-point environment that it is called in. */
typedef struct {
    kiln_triangle_filter call; /* NULL: keeps all */
    void *user;
    kiln_fpu_state caller;
} kiln_mesh_filter;

/* Out of line, so that no arithmetic moves across the change of environment. */
bool kiln_mesh_filter_call(kiln_mesh_filter *filter, const kiln_tree *tree, uint32_t triangle);

static inline bool kiln_mesh_filter_keeps(kiln_mesh_filter *filter, const kiln_tree *tree,
                                          uint32_t triangle)
{
    return filter->call == NULL || kiln_mesh_filter_call(filter, tree, triangle);
}

/* A visitor of pairs that ends the walk with the first one, into a kiln_hit: collide.c. */
bool kiln_hit_take(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y);

/* ------------------------------------------------------ all pairs that meet: contacts.c -- */

/* A walk that passes all pairs that meet to the visitor, as kiln_pair_walk does. */
struct kiln_pair_visitor;
typedef kiln_status (*kiln_pair_source)(void *user, const struct kiln_pair_visitor *visitor);

/* kiln_contacts and kiln_contacts_each of what such a walk finds. */
kiln_status kiln_contacts_from(kiln_pair_source source, void *from, const kiln_tree *a,
                               const kiln_tree *b, const kiln_pair_options *options,
                               kiln_pair *pairs, size_t capacity, size_t *count);
kiln_status kiln_contacts_each_from(kiln_pair_source source, void *from,
                                    const kiln_pair_options *options, kiln_pair_callback callback,
                                    void *user, size_t *count);

/* The shape as it is compared. False: it is not one that is defined. Needs the environment of
 * fpu.h. */
bool kiln_shape_take(const kiln_shape *given, kiln_shape *shape);

/* ----------------------------------------------- where a point is to a closed mesh: inside.c -- */

/* `carry` NULL: `point` is in the tree's own frame. Else it is in the frame that the tree's
 * corners are carried into by it, and `inverse` is that of its rotation. The tree has polygons and
 * is closed; coordinates are 0 or as kiln_exact wants them. Needs the environment of fpu.h. */
kiln_place kiln_inside_point(const kiln_tree *tree, const kiln_transform *carry,
                             const double inverse[9], const double point[3]);

/* The same, and, off the surface of an oriented mesh, its winding number, which is an integer. */
kiln_place kiln_inside_count(const kiln_tree *tree, const kiln_transform *carry,
                             const double inverse[9], const double point[3], int *winding);

/* --------------------------------- where and how deep two triangles meet: contact_geometry.c -- */

typedef struct {
    double from[3], to[3]; /* ends of what they have in common, in both */
    double normal[3];      /* unit: where X has to move to part from Y */
    double depth;          /* how far; >= 0 */
} kiln_tri_contact;

/* Corner k is t[3 k .. 3 k + 2]; both meet (kiln_exact_triangles_meet). All of *out is finite,
 * whatever the triangles are. Needs the environment of fpu.h. */
void kiln_triangles_contact(const double x[9], const double y[9], kiln_tri_contact *out);

/* Where an edge from p to q, whose ends are on both sides of the plane of t or on it, passes
 * through that: how far along it, 0 to 1, and the point. */
double kiln_edge_cut(const double t[9], const double p[3], const double q[3], double at[3]);

/* The same of two triangles as they are compared. Where both are of one mesh at one place, in an
 * order of their own, so that they have one contact, whichever of them is X. */
void kiln_pair_contact(const kiln_pair_frame *frame, const double x[9], const double y[9],
                       kiln_tri_contact *out);

#endif
