/* An allocator: the first free rectangle of the job's shape, as first-fit takes it on a mesh of two dimensions.
   cc -O2 -o first_fit first_fit.c; usage: exec:./first_fit. It looks for the fields that it needs in each line and
   ignores all others; a program for more than an experiment reads JSON with a library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 25];

/* Returns what follows "name": in the line; NULL if the line has no such field. */
static char *field(const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    char *at = strstr(line, key);
    return at ? at + strlen(key) : NULL;
}

/* Answers with the first free rectangle of width x length nodes on a mesh that is `across` wide. */
static void place(long id, long width, long length, long across, long down, const char *is_free) {
    for (long base_y = 0; base_y + length <= down; base_y++)
        for (long base_x = 0; base_x + width <= across; base_x++) {
            int fits = 1;
            for (long i = 0; fits && i < width * length; i++)
                fits = is_free[(base_y + i / width) * across + base_x + i % width] == '1';
            if (!fits)
                continue;
            printf("{\"id\":%ld,\"nodes\":[", id);
            for (long i = 0; i < width * length; i++)
                printf("%s%ld", i ? "," : "", (base_y + i / width) * across + base_x + i % width);
            printf("]}\n");
            return;
        }
    printf("{\"id\":%ld,\"nodes\":null}\n", id);
}

int main(void) {
    long across = 0, down = 1, width = 0, length = 1;
    while (fgets(line, sizeof line, stdin)) {
        char *message = field("message"), *id = field("id"), *sides = field("sides");
        if (strncmp(message, "\"hello\"", 7) == 0) {
            sscanf(field("extents"), "[%ld,%ld", &across, &down);
            printf("{\"id\":%s,\"protocol\":1,\"served\":\"submesh\"}\n", strtok(id, ",}"));
        } else if (strncmp(message, "\"propose\"", 9) == 0) {
            length = 1;
            if (sscanf(sides, "[%ld,%ld", &width, &length) < 1)
                width = across + 1; /* null: no rectangle of this machine serves the job */
            place(atol(id), width, length, across, down, field("free") + 1);
        }
        fflush(stdout);
    }
}
