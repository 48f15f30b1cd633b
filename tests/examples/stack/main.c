/* A program with a solver of its own, a few lines long, over contact regions: meshes fall, and
 * boxes stand on each other.
 *
 *     stack SECONDS BOXES GROUND.kiln BODY.kiln
 *     stack SECONDS drop GROUND.kiln BODY.kiln BODY.kiln ...
 *
 * The first stacks BOXES bodies on the ground and says whether they stand after SECONDS; the second
 * drops each body from above and says where they have come to rest. The solver is one of
 * sequential impulses, made for bodies of about unit size: a program would take its physics
 * engine's. Each region gives it one normal and at most four points, however many triangles
 * meet. */
#include <kiln_regions.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 32, REGIONS = 4, CONTACTS = 1024, STEPS = 120, ROUNDS = 60 };

/* `calm`: the part of all speed that is lost in a second. */
static const double gravity = 9.81, friction = 0.6, slop = 0.0003, mend = 0.2, calm = 1;

/* The ground is body 0, which does not move: its mass is infinite. */
typedef struct {
    kiln_file *file;
    kiln_adjacency *adjacency;
    kiln_pose pose;
    double centre[3]; /* of mass, in its own frame */
    double speed[3], turning[3];
    double per_mass, per_inertia;
} body;

typedef struct {
    int a, b;
    double arm_a[3], arm_b[3], normal[3], along[2][3];
    double bias, mass, mass_along[2];
    double push, rub[2]; /* impulses so far */
} contact;

static body bodies[BODIES];
static int count = 1;
static contact contacts[CONTACTS];
static int contact_count;
static kiln_regions *regions;

static void must(kiln_status status)
{
    if (status != KILN_OK) {
        fprintf(stderr, "stack: %s\n", kiln_status_text(status));
        exit(1);
    }
}

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void cross(const double u[3], const double v[3], double out[3])
{
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

/* Where the centre of mass is in the world. */
static void centre_of(const body *b, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = b->pose.translation[i] + dot(b->pose.rotation + 3 * i, b->centre);
    }
}

static void load(const char *path, body *out)
{
    must(kiln_open(path, NULL, &out->file));
    const kiln_tree *tree = kiln_file_tree(out->file, 0);
    const kiln_tree_info info = kiln_tree_get_info(tree);
    const size_t size = kiln_adjacency_size(tree);
    must(kiln_adjacency_place(malloc(size), size, tree, &out->adjacency));
    double squares = 0;
    for (int k = 0; k < 3; k++) {
        const double low = (double)info.bounds_lower[k], high = (double)info.bounds_upper[k];
        out->centre[k] = (low + high) / 2;
        squares += (high - low) * (high - low);
    }
    /* Of mass 1, and as hard to turn as the box around it is on the average. */
    out->per_mass = 1;
    out->per_inertia = 18 / squares;
    out->pose = kiln_pose_identity();
}

/* ------------------------------------------------------------------------------ the solver -- */

/* 1 / how hard it is to push at a contact along a direction. */
static double mass_along(const contact *c, const double way[3])
{
    const body *a = &bodies[c->a], *b = &bodies[c->b];
    double lever_a[3], lever_b[3];
    cross(c->arm_a, way, lever_a);
    cross(c->arm_b, way, lever_b);
    return 1 / (a->per_mass + b->per_mass + a->per_inertia * dot(lever_a, lever_a) +
                b->per_inertia * dot(lever_b, lever_b));
}

/* How fast A leaves B at a contact. */
static double leaving(const contact *c, const double way[3])
{
    const body *a = &bodies[c->a], *b = &bodies[c->b];
    double turn_a[3], turn_b[3], speed = 0;
    cross(a->turning, c->arm_a, turn_a);
    cross(b->turning, c->arm_b, turn_b);
    for (int k = 0; k < 3; k++) {
        speed += way[k] * ((a->speed[k] + turn_a[k]) - (b->speed[k] + turn_b[k]));
    }
    return speed;
}

static void push(const contact *c, const double way[3], double impulse)
{
    body *a = &bodies[c->a], *b = &bodies[c->b];
    double lever_a[3], lever_b[3];
    cross(c->arm_a, way, lever_a);
    cross(c->arm_b, way, lever_b);
    for (int k = 0; k < 3; k++) {
        a->speed[k] += impulse * a->per_mass * way[k];
        b->speed[k] -= impulse * b->per_mass * way[k];
        a->turning[k] += impulse * a->per_inertia * lever_a[k];
        b->turning[k] -= impulse * b->per_inertia * lever_b[k];
    }
}

/* The solver: impulses that only push, and rub no harder than they push. */
static void solve(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (contact *c = contacts; c < contacts + contact_count; c++) {
            const double before = c->push;
            c->push = fmax(0, before + c->mass * (c->bias - leaving(c, c->normal)));
            push(c, c->normal, c->push - before);
            for (int i = 0; i < 2; i++) {
                const double most = friction * c->push, rubbed = c->rub[i];
                const double want = rubbed - c->mass_along[i] * leaving(c, c->along[i]);
                c->rub[i] = fmax(-most, fmin(most, want));
                push(c, c->along[i], c->rub[i] - rubbed);
            }
        }
    }
}

/* -------------------------------------------------------------------------------- the step -- */

static void add_contact(int a, int b, const kiln_region *region, const kiln_region_point *point)
{
    double at_a[3], at_b[3], axis[3] = {0, 0, 0};
    contact *c = &contacts[contact_count];
    if (contact_count == CONTACTS) {
        return;
    }
    contact_count++;
    memset(c, 0, sizeof *c);
    c->a = a;
    c->b = b;
    centre_of(&bodies[a], at_a);
    centre_of(&bodies[b], at_b);
    for (int k = 0; k < 3; k++) {
        c->normal[k] = region->normal[k];
        c->arm_a[k] = point->position[k] - at_a[k];
        c->arm_b[k] = point->position[k] - at_b[k];
    }
    axis[fabs(c->normal[0]) < 0.6 ? 0 : 1] = 1;
    cross(c->normal, axis, c->along[0]);
    const double length = sqrt(dot(c->along[0], c->along[0]));
    for (int k = 0; k < 3; k++) {
        c->along[0][k] /= length;
    }
    cross(c->normal, c->along[0], c->along[1]);
    c->mass = mass_along(c, c->normal);
    c->mass_along[0] = mass_along(c, c->along[0]);
    c->mass_along[1] = mass_along(c, c->along[1]);
    c->bias = mend * STEPS * fmax(0, point->depth - slop);
}

static void find_contacts(void)
{
    contact_count = 0;
    for (int a = 1; a < count; a++) {
        for (int b = 0; b < a; b++) {
            kiln_region found[REGIONS];
            size_t many;
            must(kiln_contact_regions(regions, bodies[a].adjacency, &bodies[a].pose,
                                      bodies[b].adjacency, &bodies[b].pose, NULL, found, REGIONS,
                                      &many));
            for (size_t i = 0; i < many && i < REGIONS; i++) {
                for (uint32_t p = 0; p < found[i].point_count; p++) {
                    add_contact(a, b, &found[i], &found[i].points[p]);
                }
            }
        }
    }
}

/* Turns a body about its centre of mass by its turning, and moves it. */
static void move(body *b)
{
    double centre[3], turned[9];
    centre_of(b, centre);
    for (int j = 0; j < 3; j++) {
        const double *r = b->pose.rotation;
        const double column[3] = {r[j], r[3 + j], r[6 + j]};
        double way[3];
        cross(b->turning, column, way);
        for (int i = 0; i < 3; i++) {
            turned[3 * i + j] = column[i] + way[i] / STEPS;
        }
    }
    /* Rows of unit length, at right angles to each other. */
    for (int i = 0; i < 3; i++) {
        double *row = turned + 3 * i;
        for (int j = 0; j < i; j++) {
            const double part = dot(row, turned + 3 * j);
            for (int k = 0; k < 3; k++) {
                row[k] -= part * turned[3 * j + k];
            }
        }
        const double length = sqrt(dot(row, row));
        for (int k = 0; k < 3; k++) {
            row[k] /= length;
        }
    }
    memcpy(b->pose.rotation, turned, sizeof turned);
    for (int i = 0; i < 3; i++) {
        b->pose.translation[i] =
            centre[i] + b->speed[i] / STEPS - dot(b->pose.rotation + 3 * i, b->centre);
    }
}

static void step(void)
{
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[i].speed[k] *= 1 - calm / STEPS;
            bodies[i].turning[k] *= 1 - calm / STEPS;
        }
        bodies[i].speed[2] -= gravity / STEPS;
    }
    find_contacts();
    solve();
    for (int i = 1; i < count; i++) {
        move(&bodies[i]);
    }
}

static void put(const char *path, double x, double y, double z)
{
    body *b = &bodies[count++];
    load(path, b);
    const kiln_tree_info info = kiln_tree_get_info(kiln_adjacency_tree(b->adjacency));
    b->pose.translation[0] = x;
    b->pose.translation[1] = y;
    b->pose.translation[2] = z - (double)info.bounds_lower[2];
}

/* The greatest speed of all bodies. */
static double unrest(void)
{
    double most = 0;
    for (int i = 1; i < count; i++) {
        most = fmax(most, sqrt(dot(bodies[i].speed, bodies[i].speed)));
    }
    return most;
}

int main(int argc, char **words)
{
    enum { TRIANGLES = 400000, PAIRS = 20000 };
    if (argc < 5 || argc - 4 >= BODIES) {
        fprintf(stderr, "usage: stack SECONDS BOXES|drop GROUND.kiln BODY.kiln ...\n");
        return 1;
    }
    const size_t size = kiln_regions_size(TRIANGLES, PAIRS);
    void *memory = malloc(size);
    must(kiln_regions_place(memory, size, TRIANGLES, PAIRS, &regions));
    load(words[3], &bodies[0]);
    bodies[0].per_mass = bodies[0].per_inertia = 0;
    const int boxes = atoi(words[2]);
    double top = 0;
    for (int i = 0; i < boxes && i < BODIES - 1; i++) {
        put(words[4], 0, 0, top);
        const kiln_tree_info info =
            kiln_tree_get_info(kiln_adjacency_tree(bodies[count - 1].adjacency));
        top += (double)info.bounds_upper[2] - (double)info.bounds_lower[2];
    }
    for (int i = 4; i < argc && boxes == 0; i++) {
        put(words[i], 0.05 * (i % 3), 0.04 * (i % 4), 0.5 + 3 * (i - 4));
    }
    double start[BODIES][3], now[3], aside = 0, down = 0;
    for (int i = 1; i < count; i++) {
        centre_of(&bodies[i], start[i]);
    }
    const long steps = (long)(atof(words[1]) * STEPS);
    for (long s = 0; s < steps; s++) {
        step();
    }
    for (int i = 1; i < count; i++) {
        centre_of(&bodies[i], now);
        aside = fmax(aside, hypot(now[0] - start[i][0], now[1] - start[i][1]));
        down = fmax(down, fabs(now[2] - start[i][2]));
        if (boxes == 0) {
            printf("body %d: %.2f %.2f %.2f\n", i, now[0], now[1], now[2]);
        }
    }
    printf("%d bodies after %ld steps: speed below %.0e\n", count - 1, steps,
           pow(10, ceil(log10(unrest() + 1e-6))));
    if (boxes > 0) {
        printf("aside %.4f, down %.4f: %s\n", aside, down,
               aside < 0.05 && down < 0.05 ? "they stand" : "they have fallen");
    }
    for (int i = 0; i < count; i++) {
        free(bodies[i].adjacency);
        kiln_close(bodies[i].file);
    }
    free(memory);
    return 0;
}
