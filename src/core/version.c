#include "torre/status.h"

const char *torre_version_text(void) { return TORRE_VERSION; }

const char *torre_interface_text(void) { return TORRE_INTERFACE; }

const char *torre_build_text(void) { return TORRE_BUILD ", gcc-compatible compiler " __VERSION__; }
