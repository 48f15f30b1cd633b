/* Looks into the trees for eight steps at a time, and goes on where
 * it stopped. */
#include <kiln.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    kiln_file *ship = NULL, *rock = NULL;
    if (kiln_open("ship.kiln", NULL, &ship) != KILN_OK ||
        kiln_open("rock.kiln", NULL, &rock) != KILN_OK)
        return 1;
    const kiln_tree *a = kiln_file_tree(ship, 0);
    const kiln_tree *b = kiln_file_tree(rock, 0);
    size_t size = kiln_interruptible_size(a, b, 256);
    void *memory = malloc(size);
    kiln_interruptible *query = NULL;
    kiln_interruptible_answer answer;
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = 1.01;
    if (kiln_interruptible_place(memory, size, &query) != KILN_OK ||
        kiln_interruptible_begin(query, a, NULL, b, &pose, NULL) !=
            KILN_OK)
        return 1;
    do {
        if (kiln_interruptible_run(query, UINT32_MAX, 8, 0) !=
                KILN_OK ||
            kiln_interruptible_get_answer(query, &answer) != KILN_OK)
            return 1;
    } while (answer.verdict == KILN_INTERRUPTIBLE_UNRESOLVED);
    printf("%s\n", answer.verdict == KILN_INTERRUPTIBLE_APART
                       ? "apart"
                       : "they meet");
    free(memory);
    kiln_close(rock);
    kiln_close(ship);
    return 0;
}

/* Prints:
 *     apart
 */
