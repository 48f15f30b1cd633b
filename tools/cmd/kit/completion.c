/* Scripts that complete command lines in bash, zsh and fish, made from the tables that parse them.
 *
 * Each script knows every verb with its options, and of an option whether a file, a choice or a
 * number follows; so it never has to run kiln, and stays right as long as it is made again with
 * each version. Verbs of two words, such as "lut bins", are offered by their first word, then by
 * their second. The three shells get the same facts in three forms: bash a function with a case for
 * each verb, zsh a list for _arguments, fish one `complete` line for each option. Help texts are
 * cut at their first semicolon, colon or parenthesis: a menu has room for what an option does, and
 * not for its details. */
#include "completion.h"

#include "../../../formats/assert.h"

#include <string.h>

/* Options that may stand in the place of a verb. */
static const char *const plain_options[] = {"--help", "--version", "--man", "--completion"};

/* Is it the first verb whose name of two words starts with its first word? */
static bool starts_group(const verb *const *verbs, size_t at)
{
    const char *space = strchr(verbs[at]->name, ' ');
    if (space == NULL) {
        return false;
    }
    const size_t length = (size_t)(space - verbs[at]->name);
    for (size_t i = 0; i < at; i++) {
        if (strncmp(verbs[i]->name, verbs[at]->name, length + 1) == 0) {
            return false;
        }
    }
    return true;
}

/* Is the verb's first word `group`, of `length` letters, and is there a second? */
static bool is_group_word(const verb *of, const char *group, size_t length)
{
    return strncmp(of->name, group, length) == 0 && of->name[length] == ' ';
}

/* "packed|raw" as "packed raw". */
static void print_choices(FILE *out, const char *choices)
{
    for (; *choices != '\0'; choices++) {
        putc(*choices == '|' ? ' ' : *choices, out);
    }
}

/* OPTION_DEFAULTED is left out: its value can only be attached by "=", so the next word is no
 * value. */
static bool takes_value(const option *entry)
{
    return entry->kind != OPTION_FLAG && entry->kind != OPTION_DEFAULTED;
}

/* Numbers have no completion; the shells offer neither files nor words then. */
static bool takes_number(const option *entry)
{
    return entry->kind == OPTION_INTEGER || entry->kind == OPTION_REAL;
}

/* Prints what an option does, up to the details. `special` characters get a backslash, and an
 * apostrophe is written as `quote`, which is what the shell accepts within '...'. */
static void print_help(FILE *out, const char *help, const char *special, const char *quote)
{
    const size_t length = strcspn(help, ";:(");
    for (size_t i = 0; i < length && (help[i] != ' ' || i + 1 < length); i++) {
        if (help[i] == '\'') {
            fputs(quote, out);
        } else {
            fprintf(out, "%s%c", strchr(special, help[i]) != NULL ? "\\" : "", help[i]);
        }
    }
}

/* -------------------------------------------------------------------------------------- bash -- */

/* A branch of `case $verb`: the options of a verb, and what may follow the option before the
 * cursor. */
static void print_bash_verb(FILE *out, const verb *of)
{
    KILN_ASSERT(verb_option_count(of) <= 64);
    fprintf(out, "    '%s')\n        options='", of->name);
    for (size_t i = 0; i < verb_option_count(of); i++) {
        fprintf(out, "--%s ", verb_option(of, i)->name);
    }
    fputs("--help'\n        case $option in\n", out);
    /* Flags have no branch: what follows them is completed as if they were not there. */
    for (size_t i = 0; i < verb_option_count(of); i++) {
        const option *entry = verb_option(of, i);
        if (entry->kind == OPTION_FLAG) {
            continue;
        }
        fputs("        ", out);
        if (entry->letter != 0) {
            fprintf(out, "-%c | ", entry->letter);
        }
        fprintf(out, "--%s) ", entry->name);
        if (entry->choices != NULL) {
            fputs("values='", out);
            print_choices(out, entry->choices);
            fputs("'", out);
        } else {
            fputs(takes_number(entry) ? "values=' '" : "files=yes", out);
        }
        fprintf(out, "%s ;;\n", entry->kind == OPTION_DEFAULTED ? " optional=yes" : "");
    }
    fputs("        esac\n        ;;\n", out);
}

/* Bash splits words at "=", so that "--layout=raw" arrives as three of them: `joined` says so. The
 * function first finds the verb, then the values or options that fit, and leaves the rest to
 * compgen. */
static void print_bash(FILE *out, const verb *const *verbs, size_t count)
{
    fprintf(out, "# bash completion of %s\n_%s() {\n", this_program.name, this_program.name);
    fputs("    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local verb=${COMP_WORDS[1]} options='' values='' files='' optional='' joined=''\n"
          "    if [[ $word == = ]]; then\n"
          "        word='' joined=yes\n"
          "    elif [[ $option == = ]]; then\n"
          "        option=${COMP_WORDS[COMP_CWORD - 2]} joined=yes\n"
          "    fi\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    for (size_t i = 0; i < COUNT_OF(plain_options); i++) {
        fprintf(out, "%s ", plain_options[i]);
    }
    for (size_t i = 0; i < count; i++) { /* each first word once */
        if (strchr(verbs[i]->name, ' ') == NULL || starts_group(verbs, i)) {
            fprintf(out, " %.*s", (int)strcspn(verbs[i]->name, " "), verbs[i]->name);
        }
    }
    fputs("' -- \"$word\"))\n        return\n    fi\n    case $verb in\n", out);
    for (size_t i = 0; i < count; i++) {
        const size_t first = strcspn(verbs[i]->name, " ");
        if (!starts_group(verbs, i)) {
            continue;
        }
        fprintf(out,
                "    %.*s)\n        if ((COMP_CWORD == 2)); then\n"
                "            COMPREPLY=($(compgen -W '",
                (int)first, verbs[i]->name);
        for (size_t k = i; k < count; k++) {
            if (is_group_word(verbs[k], verbs[i]->name, first)) {
                fprintf(out, " %s", verbs[k]->name + first + 1);
            }
        }
        fputs("' -- \"$word\"))\n            return\n        fi\n"
              "        verb=\"$verb ${COMP_WORDS[2]}\"\n        ;;\n",
              out);
    }
    fputs("    --completion)\n        COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\"))\n"
          "        return\n        ;;\n    esac\n    case $verb in\n",
          out);
    for (size_t i = 0; i < count; i++) {
        print_bash_verb(out, verbs[i]);
    }
    fputs("    esac\n"
          "    if [[ -n $optional && -z $joined ]]; then\n"
          "        values=''\n"
          "    fi\n"
          "    if [[ -n $values ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
          "    elif [[ $word == -* && -z $files ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    else\n"
          "        local IFS=$'\\n'\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n",
          out);
    fprintf(out, "complete -F _%s %s\n", this_program.name, this_program.name);
}

/* --------------------------------------------------------------------------------------- zsh -- */

/* Prints '(-o --output)'{-o+,--output=}'[help]:OUT:_files'. The list in parentheses excludes both
 * spellings once one of them was typed; "+" and "=" say that a value may follow at once. */
static void print_zsh_option(FILE *out, const option *entry)
{
    const char *joint = takes_value(entry) ? "=" : entry->kind == OPTION_DEFAULTED ? "=-" : "";
    fputs(" \\\n            ", out);
    if (entry->letter != 0) {
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}", entry->letter, entry->name, entry->letter,
                takes_value(entry) ? "+" : "", entry->name, joint);
    } else {
        fprintf(out, "--%s%s", entry->name, joint);
    }
    fputs("'[", out);
    print_help(out, entry->help, "[]\\", "'\\''");
    fputs("]", out);
    if (entry->choices != NULL) {
        fprintf(out, "%s:value:(", entry->kind == OPTION_DEFAULTED ? ":" : "");
        print_choices(out, entry->choices);
        fputs(")", out);
    } else if (takes_value(entry)) {
        fprintf(out, ":%s:%s", entry->value, takes_number(entry) ? " " : "_files");
    }
    fputs("'", out);
}

/* Offers the first words of all verbs, or, where `group` is not empty, the second words of those
 * that start with it. */
static void print_zsh_choice(FILE *out, const verb *const *verbs, size_t count, const char *group)
{
    const size_t length = strlen(group);
    fputs("        words_of_kiln=(", out);
    for (size_t i = 0; i < count; i++) {
        const char *word = verbs[i]->name;
        if (length > 0 ? !is_group_word(verbs[i], group, length)
                       : strchr(word, ' ') != NULL && !starts_group(verbs, i)) {
            continue;
        }
        word += length > 0 ? length + 1 : 0;
        fprintf(out, " \\\n        '%.*s:", (int)strcspn(word, " "), word);
        print_help(out, strchr(word, ' ') != NULL ? "tables" : verbs[i]->summary, ":\\", "'\\''");
        fputs("'", out);
    }
    fputs(")\n        _describe -t verbs 'verb' words_of_kiln\n", out);
}

/* The script may be sourced or autoloaded: its last lines run the function in the second case. */
static void print_zsh(FILE *out, const verb *const *verbs, size_t count)
{
    fprintf(out, "#compdef %s\n_%s() {\n", this_program.name, this_program.name);
    fputs("    local verb=${words[2]}\n"
          "    local -a words_of_kiln\n"
          "    if ((CURRENT == 2)); then\n",
          out);
    print_zsh_choice(out, verbs, count, "");
    fputs("        compadd --", out);
    for (size_t i = 0; i < COUNT_OF(plain_options); i++) {
        fprintf(out, " %s", plain_options[i]);
    }
    fputs("\n        return\n    fi\n    case $verb in\n", out);
    for (size_t i = 0; i < count; i++) {
        if (!starts_group(verbs, i)) {
            continue;
        }
        char group[32];
        const int length = (int)strcspn(verbs[i]->name, " ");
        KILN_ASSERT((size_t)length < sizeof group);
        (void)snprintf(group, sizeof group, "%.*s", length, verbs[i]->name);
        fprintf(out, "    %s)\n    if ((CURRENT == 3)); then\n", group);
        print_zsh_choice(out, verbs, count, group);
        fputs("        return\n    fi\n    verb=\"$verb ${words[3]}\"\n    ;;\n", out);
    }
    fputs("    --completion)\n        compadd bash zsh fish\n        return\n        ;;\n"
          "    esac\n    case $verb in\n",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "    '%s')\n        _arguments -s", verbs[i]->name);
        for (size_t k = 0; k < verb_option_count(verbs[i]); k++) {
            print_zsh_option(out, verb_option(verbs[i], k));
        }
        fputs(" \\\n            '--help[this text]' '*:file:_files'\n        ;;\n", out);
    }
    fprintf(out,
            "    esac\n}\n"
            "if [ \"$funcstack[1]\" = _%s ]; then\n    _%s \"$@\"\nelse\n"
            "    compdef _%s %s\nfi\n",
            this_program.name, this_program.name, this_program.name, this_program.name);
}

/* -------------------------------------------------------------------------------------- fish -- */

/* Prints one `complete` line. -x excludes files, -r asks for one, -a lists the choices. */
static void print_fish_option(FILE *out, const verb *of, const option *entry)
{
    /* The condition is that the verb was typed: both words of a name of two. */
    const size_t first = strcspn(of->name, " ");
    fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from %.*s", this_program.name,
            (int)first, of->name);
    if (of->name[first] == ' ') {
        fprintf(out, "; and __fish_seen_subcommand_from %s", of->name + first + 1);
    }
    fprintf(out, "' -l %s", entry->name);
    if (entry->letter != 0) {
        fprintf(out, " -s %c", entry->letter);
    }
    if (entry->choices != NULL && takes_value(entry)) {
        /* "packed\t raw\t": the empty text after each tab keeps fish from repeating the
         * option's. */
        fputs(" -x -a '", out);
        for (const char *at = entry->choices; *at != '\0'; at++) {
            fputs(*at == '|' ? "\\t " : (char[]){*at, '\0'}, out);
        }
        fputs("\\t'", out);
    } else if (takes_value(entry)) {
        fputs(takes_number(entry) ? " -x" : " -r", out);
    }
    fputs(" -d '", out);
    print_help(out, entry->help, "", "\\'");
    fputs("'\n", out);
}

/* fish has no function to call: each line adds one fact, with the condition under which it
 * holds. */
static void print_fish(FILE *out, const verb *const *verbs, size_t count)
{
    static const char *const plain[] = {
        "-l help -d 'what the verb does'",
        "-n __fish_use_subcommand -l version -d 'the version'",
        "-n __fish_use_subcommand -l man -d 'the manual page'",
        "-n __fish_use_subcommand -l completion -x -a 'bash zsh fish' -d 'a script like this one'",
    };
    fprintf(out, "# fish completion of %s\n", this_program.name);
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        fprintf(out, "complete -c %s %s\n", this_program.name, plain[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const verb *of = verbs[i];
        const char *second = strchr(of->name, ' ');
        const int first = (int)strcspn(of->name, " ");
        if (second == NULL || starts_group(verbs, i)) {
            fprintf(out, "complete -c %s -n __fish_use_subcommand -f -a %.*s -d '",
                    this_program.name, first, of->name);
            print_help(out, second == NULL ? of->summary : "tables", "", "\\'");
            fputs("'\n", out);
        }
        if (second != NULL) {
            fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from %.*s' -a %s -d '",
                    this_program.name, first, of->name, second + 1);
            print_help(out, of->summary, "", "\\'");
            fputs("'\n", out);
        }
        for (size_t k = 0; k < verb_option_count(of); k++) {
            print_fish_option(out, of, verb_option(of, k));
        }
    }
}

/* A further shell is a row and a function. */
bool completion_print(FILE *out, const char *shell, const verb *const *verbs, size_t count)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out, const verb *const *verbs, size_t count);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < COUNT_OF(shells); i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(out, verbs, count);
            return true;
        }
    }
    return false;
}
