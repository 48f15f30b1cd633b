/* Weight, mean and covariance of surfaces, and the axes of the covariance. */
#ifndef KILN_BUILD_MOMENTS_H
#define KILN_BUILD_MOMENTS_H

typedef struct {
    double weight, mean[3];
    double spread[6]; /* xx yy zz yz xz xy, about the mean, times the weight */
} kiln_moments;

extern const kiln_moments kiln_moments_none;

/* Of one triangle with corners p[corner][coordinate]. */
void kiln_moments_of_triangle(double p[3][3], kiln_moments *moments);

void kiln_moments_join(kiln_moments *moments, const kiln_moments *other);

/* Right-handed orthonormal eigenvectors of the covariance; the object axes where it is zero. */
void kiln_moments_axes(const kiln_moments *moments, double axis[3][3]);

#endif
