/* kiln query --spheres. Spheres and poses are read whole before the first configuration is
 * asked, as how many poses make a configuration is known only then. */
#include "query_spheres.h"

#include "../kit/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPHERE_NUMBERS_MAX 1e60

typedef struct {
    sphere_lines *lines;
    const char *path;
} sphere_reading;

static bool grow_spheres(sphere_lines *lines)
{
    const size_t capacity = 2 * lines->capacity + 64;
    for (int k = 0; k < 4; k++) {
        double *numbers = realloc(lines->numbers[k], capacity * sizeof *numbers);
        if (numbers == NULL) {
            return false;
        }
        lines->numbers[k] = numbers;
    }
    uint32_t *links = realloc(lines->links, capacity * sizeof *links);
    lines->links = links != NULL ? links : lines->links;
    lines->capacity = links != NULL ? capacity : lines->capacity;
    return links != NULL;
}

/* A sphere of 4 numbers is of link 0. */
static int take_sphere(void *user, unsigned long line, const double *numbers, int count)
{
    const sphere_reading *reading = user;
    sphere_lines *lines = reading->lines;
    const double link = count == 5 ? numbers[4] : 0;
    if (count != 4 && count != 5) {
        return report_error(EXIT_INVALID, reading->path,
                            "line %lu: %d numbers; a sphere has 4 (centre, radius) or 5 (and its "
                            "link)",
                            line, count);
    }
    for (int k = 0; k < 4; k++) {
        if (!(fabs(numbers[k]) <= SPHERE_NUMBERS_MAX)) {
            return report_error(EXIT_INVALID, reading->path,
                                "line %lu: a number is not finite or above 1e60", line);
        }
    }
    if (numbers[3] < 0) {
        return report_error(EXIT_INVALID, reading->path, "line %lu: the radius is negative", line);
    }
    if (!(link >= 0 && link < 65536 && floor(link) == link)) {
        return report_error(EXIT_INVALID, reading->path,
                            "line %lu: a link is a whole number from 0 to 65535", line);
    }
    if (lines->of.count == lines->capacity && !grow_spheres(lines)) {
        return report_error(EXIT_RUN, reading->path, "line %lu: out of memory", line);
    }
    for (int k = 0; k < 4; k++) {
        lines->numbers[k][lines->of.count] = numbers[k];
    }
    lines->links[lines->of.count++] = (uint32_t)link;
    lines->of.link_count =
        (uint32_t)link >= lines->of.link_count ? (uint32_t)link + 1 : lines->of.link_count;
    return EXIT_DONE;
}

/* Poses as the command reads them everywhere: of B, that is, of a link. */
static int read_poses(sphere_lines *lines, const char *path)
{
    pose_list list = {.count = 0};
    int status = pose_list_read(&list, path);
    const size_t links = lines->of.link_count;
    if (status != EXIT_DONE) {
        return status;
    }
    if (list.count == 0 || list.count % links != 0) {
        status = report_error(EXIT_INVALID, path,
                              "%zu poses are no whole number of configurations of %zu link%s",
                              list.count, links, links == 1 ? "" : "s");
    } else {
        lines->configurations = list.count / links;
        lines->poses = malloc(list.count * sizeof *lines->poses);
        if (lines->poses == NULL) {
            status = report_error(EXIT_RUN, path, "out of memory");
        }
        for (size_t i = 0; lines->poses != NULL && i < list.count; i++) {
            lines->poses[i] = list.pairs[i].b;
        }
    }
    pose_list_free(&list);
    return status;
}

int sphere_lines_read(sphere_lines *lines, const char *path, const char *poses)
{
    memset(lines, 0, sizeof *lines);
    lines->configurations = 1;
    lines->of.link_count = 1;
    sphere_reading reading = {lines, path};
    const int status = number_lines_read(path, take_sphere, &reading);
    if (status != EXIT_DONE) {
        return status;
    }
    lines->of.x = lines->numbers[0];
    lines->of.y = lines->numbers[1];
    lines->of.z = lines->numbers[2];
    lines->of.radius = lines->numbers[3];
    lines->of.link = lines->links;
    lines->meets = malloc(lines->of.count + 1);
    if (lines->meets == NULL) {
        return report_error(EXIT_RUN, path, "out of memory");
    }
    return poses != NULL ? read_poses(lines, poses) : EXIT_DONE;
}

kiln_status sphere_lines_ask(sphere_lines *lines, const kiln_tree *tree, const kiln_pose *pose,
                             size_t index, bool all, size_t *found)
{
    const kiln_pose *poses =
        lines->poses != NULL ? lines->poses + index * lines->of.link_count : NULL;
    uint64_t count = 0;
    const kiln_status status =
        all ? kiln_spheres_each(tree, pose, &lines->of, poses, 1, NULL, lines->meets, &count)
            : kiln_spheres_any(tree, pose, &lines->of, poses, 1, NULL, &lines->hit);
    *found = all ? (size_t)count : status == KILN_OK && lines->hit.found;
    return status;
}

void sphere_lines_free(sphere_lines *lines)
{
    for (int k = 0; k < 4; k++) {
        free(lines->numbers[k]);
    }
    free(lines->links);
    free(lines->poses);
    free(lines->meets);
    memset(lines, 0, sizeof *lines);
}
