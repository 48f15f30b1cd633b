/* A program that loads what was baked for it and asks each frame.
 *
 *     startup SHIP.kiln ROCK.kiln [BINS.kiln]
 *
 * SHIP and ROCK come from `kiln bake`, raw for use in place: kiln bake --layout raw -o ship.kiln
 * ship.obj. BINS, a table of filled-bins probabilities, comes from `kiln lut bins -o bins.kiln`. */
#include <kiln_adb.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 200 };

/* Opening is where errors happen: the message names the file, what is wrong and the cure. The files
 * were verified when they were installed, so that here their checksums are not computed again. */
static kiln_file *load(const char *path)
{
    kiln_file *file = NULL;
    kiln_error error;
    kiln_open_options options = kiln_open_options_default();
    options.flags = KILN_OPEN_TRUSTED;
    options.error = &error;
    if (kiln_open(path, &options, &file) != KILN_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(1);
    }
    return file;
}

static kiln_bins *load_table(const char *path)
{
    kiln_bins *table = NULL;
    kiln_error error;
    kiln_open_options options = kiln_open_options_default();
    options.flags = KILN_OPEN_TRUSTED;
    options.error = &error;
    if (kiln_bins_open(path, &options, &table) != KILN_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(1);
    }
    return table;
}

/* The rock comes in along x and turns about z. */
static kiln_pose rock_at(int frame)
{
    const double turn = 0.02 * frame, c = cos(turn), s = sin(turn);
    const kiln_pose pose = {{c, -s, 0, s, c, 0, 0, 0, 1}, {4.0 - 0.02 * frame, 0.1, 0.05}, 1};
    return pose;
}

int main(int count, char **words)
{
    if (count != 3 && count != 4) {
        fprintf(stderr, "usage: startup SHIP.kiln ROCK.kiln [BINS.kiln]\n");
        return 1;
    }
    kiln_file *ship_file = load(words[1]), *rock_file = load(words[2]);
    kiln_bins *table = count == 4 ? load_table(words[3]) : NULL;
    const kiln_tree *ship = kiln_file_tree(ship_file, 0), *rock = kiln_file_tree(rock_file, 0);
    printf("ship: %u triangles, rock: %u triangles\n", kiln_tree_get_info(ship).triangle_count,
           kiln_tree_get_info(rock).triangle_count);

    double likely = 0;
    if (kiln_bins_probability(table, 64, 20, 30, 8, &likely) == KILN_OK) {
        printf("of 64 cells, 20 and 30 taken, 8 are taken by both with probability %.6f\n", likely);
    }

    int hits = 0, first = -1;
    for (int frame = 0; frame < FRAMES; frame++) {
        const kiln_pose pose = rock_at(frame);
        kiln_hit hit;
        if (kiln_collide(ship, NULL, rock, &pose, NULL, &hit) != KILN_OK) {
            fprintf(stderr, "frame %d: the pose can not be used\n", frame);
            return 1;
        }
        if (hit.found && first < 0) {
            first = frame;
            printf("frame %d: triangle %u of the ship meets triangle %u of the rock\n", frame,
                   hit.pair.a, hit.pair.b);
        }
        hits += hit.found;
    }
    printf("%d of %d frames hit, the first is %d\n", hits, FRAMES, first);

    kiln_bins_close(table);
    kiln_close(rock_file);
    kiln_close(ship_file);
    return 0;
}
