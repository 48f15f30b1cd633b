/* How deep has the rock sunk into the ship, and which way is out? */
#include <kiln_regions.h>
#include <stdio.h>
#include <stdlib.h>

static kiln_adjacency *neighbours_of(const kiln_tree *tree)
{
    const size_t size = kiln_adjacency_size(tree);
    kiln_adjacency *out = NULL;
    kiln_adjacency_place(malloc(size), size, tree, &out);
    return out;
}

int main(void)
{
    kiln_file *ship = NULL, *rock = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK ||
        kiln_open("rock.kiln", NULL, &rock) != KILN_OK)
        return 1;
    kiln_adjacency *a = neighbours_of(kiln_file_tree(ship, 0));
    kiln_adjacency *b = neighbours_of(kiln_file_tree(rock, 0));
    const size_t size = kiln_regions_size(1000, 1000);
    kiln_regions *regions = NULL;
    kiln_regions_place(malloc(size), size, 1000, 1000, &regions);
    kiln_pose pose = kiln_pose_identity();
    kiln_region found[4];
    size_t count;
    pose.translation[0] = 0.75;
    if (kiln_contact_regions(regions, a, NULL, b, &pose, NULL, found, 4,
                             &count) != KILN_OK)
        return 1;
    for (size_t i = 0; i < count && i < 4; i++)
        printf("depth %.3f along (%.2f %.2f %.2f), %u points\n",
               found[i].depth, found[i].normal[0], found[i].normal[1],
               found[i].normal[2], found[i].point_count);
    free(regions);
    free(b);
    free(a);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     depth 0.250 along (-1.00 0.00 0.00), 3 points
 */
