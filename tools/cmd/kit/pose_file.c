#include "pose_file.h"

#include "number_lines.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { POSE_NUMBERS = 12, SCALED_NUMBERS = 13 };

static int add_pair(pose_list *list, const pose_pair *pair)
{
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 16;
        pose_pair *more = realloc(list->pairs, capacity * sizeof *more);
        if (more == NULL) {
            return report_error(EXIT_RUN, NULL, "out of memory; too many poses");
        }
        list->pairs = more;
        list->capacity = capacity;
    }
    list->pairs[list->count++] = *pair;
    return EXIT_DONE;
}

static kiln_pose pose_of(const double *numbers, int count)
{
    kiln_pose pose = kiln_pose_identity();
    for (int row = 0; row < 3; row++) {
        memcpy(&pose.rotation[3 * row], numbers + 4 * row, 3 * sizeof(double));
        pose.translation[row] = numbers[4 * row + 3];
    }
    if (count == SCALED_NUMBERS) {
        pose.scale = numbers[POSE_NUMBERS];
    }
    return pose;
}

/* What a line is added to. */
typedef struct {
    pose_list *list;
    const char *path;
} pose_target;

static int take_line(void *user, unsigned long line, const double *numbers, int count)
{
    const pose_target *to = user;
    pose_pair pair = {kiln_pose_identity(), kiln_pose_identity(), line};
    if (count == POSE_NUMBERS || count == SCALED_NUMBERS) {
        pair.b = pose_of(numbers, count);
    } else if (count == 2 * POSE_NUMBERS || count == 2 * SCALED_NUMBERS) {
        pair.a = pose_of(numbers, count / 2);
        pair.b = pose_of(numbers + count / 2, count / 2);
    } else {
        return report_error(EXIT_INVALID, to->path,
                            "line %lu: %d numbers; a pose has 12 (row-major 3 x 4, B in A's frame) "
                            "or 24 (pose of A, then of B), 13 or 26 with the scale behind each",
                            line, count);
    }
    return add_pair(to->list, &pair);
}

int pose_list_read(pose_list *list, const char *path)
{
    pose_target to = {list, path};
    *list = (pose_list){NULL, 0, 0};
    const int status = number_lines_read(path, take_line, &to);
    if (status != EXIT_DONE) {
        pose_list_free(list);
    }
    return status;
}

int pose_list_identity(pose_list *list)
{
    *list = (pose_list){NULL, 0, 0};
    const pose_pair pair = {kiln_pose_identity(), kiln_pose_identity(), 0};
    return add_pair(list, &pair);
}

void pose_list_free(pose_list *list)
{
    free(list->pairs);
    *list = (pose_list){NULL, 0, 0};
}
