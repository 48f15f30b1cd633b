/* The rigid transforms of the runtime. */
#ifndef KILN_TRANSFORM_H
#define KILN_TRANSFORM_H

/* A map p = rotation q + translation. */
typedef struct {
    double rotation[9], translation[3];
} kiln_transform;

#endif
