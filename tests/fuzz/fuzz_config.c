/* Files of options, as lines and as reports. What is read can be written and is read again. */
#include <string.h>

#include "fuzz.h"
#include "io/config_file.h"

static void check_again(const torre_config *config)
{
    torre_config again;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    for (int i = 0; i < config->count; i++) {
        fputs("name = ", out);
        torre_config_write_value(config->list[i].text, out);
        putc('\n', out);
    }
    fclose(out);
    FUZZ_CHECK(torre_config_read(fuzz_file("again.conf", (const uint8_t *)text, size), &again) ==
               TORRE_OK);
    FUZZ_CHECK(again.count == config->count);
    for (int i = 0; i < again.count; i++)
        FUZZ_CHECK(strcmp(again.list[i].text, config->list[i].text) == 0);
    torre_config_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    torre_config config;
    if (torre_config_read(fuzz_file("run.conf", data, size), &config)) {
        FUZZ_CHECK(torre_error_text()[0]);
        return 0;
    }
    for (int i = 0; i < config.count; i++) {
        FUZZ_CHECK(strstr(config.list[i].where, "run.conf:"));
        FUZZ_CHECK(torre_config_value(&config, config.list[i].name));
    }
    check_again(&config);
    torre_config_free(&config);
    return 0;
}
