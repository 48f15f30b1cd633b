/* Where and how deep two triangles that meet do so. */
#ifndef KILN_CONTACT_GEOMETRY_H
#define KILN_CONTACT_GEOMETRY_H

typedef struct {
    double from[3], to[3]; /* ends of what they have in common, in both */
    double normal[3];      /* unit: where X has to move to part from Y */
    double depth;          /* how far; >= 0 */
} kiln_tri_contact;

/* Corner k is t[3 k .. 3 k + 2]; both meet (kiln_exact_triangles_meet). All of *out is finite, whatever
 * the triangles are. Needs the environment of fpu.h. */
void kiln_triangles_contact(const double x[9], const double y[9], kiln_tri_contact *out);

#endif
