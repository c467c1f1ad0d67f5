#include "core/tell.h"

void torre_tell(FILE *out, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    torre_text_list(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs(text, out);
}
