/* Runs a command on a terminal of its own and prints what stands on it at the end, from the first
 * line that was written on.
 *
 *   pty COLUMNS COMMAND...
 *
 * All three standard descriptors of the command are a pseudoterminal of that many columns. What it
 * writes is laid out as a terminal does it: lines wrap at the last column, "\r" goes back, "\033[K"
 * clears the rest of a line. Colours are shown as marks: {1;31} where bold red begins, {} where it
 * ends; so a text of the screen can be compared, and read in a diff. Sequences that no kiln should
 * write, and control characters, are shown as <1B> and the like. A line that ends by wrapping ends
 * in "\". Ends as the command does; 125: there is no pseudoterminal. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLUMNS_MOST = 400, CELL = 32, UNKNOWN = 125 };

/* A line under way: what each cell shows, with marks of colours before it. */
typedef struct {
    char cells[COLUMNS_MOST + 1][CELL];
    int columns, at, end;
} screen_line;

static char style[16]; /* that the next character begins with */

static void end_line(screen_line *line, bool wrapped)
{
    int last = line->end;
    while (!wrapped && last > 0 && strcmp(line->cells[last - 1], " ") == 0) {
        last--;
    }
    for (int i = 0; i < last; i++) {
        fputs(line->cells[i], stdout);
    }
    printf("%s%s\n", style, wrapped ? "\\" : "");
    style[0] = '\0';
    line->at = line->end = 0;
}

/* Shows a character of one column in the cell of the cursor. The terminal wraps only when there is
 * one more. */
static void put(screen_line *line, const char *text)
{
    if (line->at == line->columns) {
        end_line(line, true);
    }
    for (; line->end <= line->at; line->end++) {
        strcpy(line->cells[line->end], " ");
    }
    snprintf(line->cells[line->at++], CELL, "%s%s", style, text);
    style[0] = '\0';
}

/* Carries out an escape sequence; returns its length, 0 if it is not one of those above. */
static size_t sequence(screen_line *line, const char *text, size_t size)
{
    size_t length = 2;
    while (length < size && strchr("0123456789;", text[length]) != NULL) {
        length++;
    }
    if (size < 3 || text[1] != '[' || length >= size || length > 10) {
        return 0;
    }
    if (text[length] == 'K' && length == 2) {
        line->end = line->at < line->end ? line->at : line->end;
    } else if (text[length] == 'm') {
        const bool ends = length == 3 && text[2] == '0';
        snprintf(style, sizeof style, "{%.*s}", ends ? 0 : (int)length - 2, text + 2);
    } else {
        return 0;
    }
    return length + 1;
}

static void show(screen_line *line, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        const unsigned char c = (unsigned char)text[i];
        char shown[CELL];
        size_t length = c == 0x1B ? sequence(line, text + i, size - i) : 0;
        if (length > 0) {
            i += length;
            continue;
        }
        length = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        if (c == '\n') {
            end_line(line, false);
        } else if (c == '\r') {
            line->at = 0;
        } else if (c < 0x20 || c == 0x7F) {
            snprintf(shown, sizeof shown, "<%02X>", c);
            put(line, shown);
        } else if ((c == 0xCC || c == 0xCD) && line->at > 0) { /* accents: no column */
            char *cell = line->cells[line->at - 1];
            const size_t used = strlen(cell);
            snprintf(cell + used, CELL - used, "%.*s", (int)length, text + i);
        } else {
            const bool wide = c >= 0xE3 && c <= 0xED; /* kana, ideographs, Hangul: two columns */
            snprintf(shown, sizeof shown, "%.*s", (int)length, text + i);
            if (wide && line->at == line->columns - 1) {
                end_line(line, true);
            }
            put(line, shown);
            if (wide) {
                put(line, "");
            }
        }
        i += length;
    }
    if (line->end > 0) {
        end_line(line, false);
    }
}

/* Starts the command on a terminal; returns its process and the other end of the terminal. */
static pid_t start(int columns, char **command, int *end)
{
    const struct winsize window = {.ws_row = 25, .ws_col = (unsigned short)columns};
    *end = posix_openpt(O_RDWR | O_NOCTTY);
    if (*end < 0 || grantpt(*end) != 0 || unlockpt(*end) != 0) {
        return -1;
    }
    const int terminal = open(ptsname(*end), O_RDWR | O_NOCTTY);
    if (terminal < 0 || ioctl(terminal, TIOCSWINSZ, &window) != 0) {
        return -1;
    }
    const pid_t process = fork();
    if (process == 0) {
        (void)setsid();
        for (int i = 0; i < 3; i++) {
            (void)dup2(terminal, i);
        }
        close(terminal);
        close(*end);
        execvp(command[0], command);
        _exit(127);
    }
    close(terminal);
    return process;
}

int main(int argc, char **argv)
{
    static screen_line line;
    char *text = NULL;
    size_t size = 0, room = 0;
    int status = 0, end;
    line.columns = argc > 2 ? atoi(argv[1]) : 0;
    if (line.columns < 1 || line.columns > COLUMNS_MOST) {
        fputs("usage: pty COLUMNS COMMAND...\n", stderr);
        return UNKNOWN;
    }
    const pid_t process = start(line.columns, argv + 2, &end);
    if (process < 0) {
        perror("pty");
        return UNKNOWN;
    }
    /* The read ends in an error once the last descriptor of the terminal is closed. */
    for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);) {
        if (room - size < 4096) {
            room = 2 * room + 4096;
            text = realloc(text, room);
            if (text == NULL) {
                return UNKNOWN;
            }
        }
        got = read(end, text + size, room - size);
        size += got > 0 ? (size_t)got : 0;
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    show(&line, text, size);
    free(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : UNKNOWN;
}
