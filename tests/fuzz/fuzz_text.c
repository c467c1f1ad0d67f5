/* Lines of a text file, plain or gzip. */
#include <string.h>

#include "fuzz.h"
#include "io/text_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORDS = 8 };
    torre_text_input *in;
    char *line, *word[WORDS];
    if (torre_text_input_open(fuzz_file("lines.gz", data, size), &in)) return 0;
    while (torre_text_input_line(in, &line) == TORRE_OK && line) {
        FUZZ_CHECK(!strchr(line, '\n'));
        FUZZ_CHECK(strlen(torre_text_input_where(in)) > 0);
        int words = torre_text_words(line, word, WORDS);
        FUZZ_CHECK(words >= 0 && words <= WORDS + 1);
        for (int i = 0; i < words && i < WORDS; i++) FUZZ_CHECK(strlen(word[i]) > 0);
    }
    torre_text_input_close(in);
    return 0;
}
