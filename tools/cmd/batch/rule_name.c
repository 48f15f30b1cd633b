/* Names of files in rules, which two programs read by rules of their own: GNU make (4.3; its
 * manual, "Rule Syntax" and "Using Wildcard Characters in File Names", and its reading of lists of
 * files) and ninja (1.11; its parser of depfiles). Names come from models, so from anybody, and a
 * name that ends the list of prerequisites begins commands: "x;id" after a colon runs id.
 *
 * Escapes that both understand are a backslash before a blank, with backslashes before that
 * doubled, and before '#', and '$' doubled. There are no others: ';', '|' and ':' can't be escaped
 * in a prerequisite, ninja reads '%' with its backslash, and of the quotes it makes the end of a
 * name. What has no escape is refused. So is what a recipe would hand to the shell by $^: the name
 * of a file must run nothing there either, and "$(" would be expanded where a Makefile has
 * .SECONDEXPANSION. */
#include "rule_name.h"

#include "../../../formats/assert.h"

#include <stdbool.h>
#include <string.h>

/* A special target of make, such as ".PHONY": "." and capitals. */
static bool is_special_target(const char *name)
{
    return name[0] == '.' && name[1] != '\0' &&
           name[1 + strspn(name + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0';
}

const char *rule_name_fault(const char *name)
{
    const size_t length = strlen(name);
    const char *bare = name;
    if (length > RULE_NAME_LENGTH_MAX) {
        return "is longer than the system takes a path";
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F) {
            return "has a control character";
        }
        if (name[i] == '\\' && (name[i + 1] == '\0' || strchr("#$\\", name[i + 1]) != NULL)) {
            return "has a backslash before another, before '#' or '$', or at its end";
        }
        if (name[i] == '$' && (name[i + 1] == '(' || name[i + 1] == '{')) {
            return "has '$(' or '${', which make may expand";
        }
    }
    if (strpbrk(name, ":;|*?&'\"<>^`%=[") != NULL) {
        return "has a character that make, ninja or a shell takes for something else "
               "(:;|*?&'\"<>^`%=[)";
    }
    if (length == 0 || name[length - 1] == ' ' || name[length - 1] == ')') {
        return "is empty, or ends in a blank or in ')'";
    }

    /* make takes "./" off before it looks at the beginning. */
    while (bare[0] == '.' && bare[1] == '/') {
        bare += 1 + strspn(bare + 1, "/");
    }
    if (bare[0] == '~' || is_special_target(bare)) {
        return "begins with '~', or is a special target of make such as .PHONY";
    }
    return NULL;
}

size_t rule_name_escape(const char *name, char to[RULE_NAME_SIZE])
{
    KILN_ASSERT(strlen(name) <= RULE_NAME_LENGTH_MAX + 3);
    size_t backslashes = 0, length = 0; /* of the name, right before this character */
    for (; *name != '\0'; name++) {
        if (*name == ' ' || *name == '#') {
            memset(to + length, '\\', backslashes + 1);
            length += backslashes + 1;
        } else if (*name == '$') {
            to[length++] = '$';
        }
        backslashes = *name == '\\' ? backslashes + 1 : 0;
        to[length++] = *name;
    }
    to[length] = '\0';
    return length;
}
