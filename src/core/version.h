/* Which Torre this is. */
#ifndef TORRE_VERSION_H
#define TORRE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" or, in a build from a repository, "0.1.0 (1a2b3c4d)". Static. */
const char *torre_version_text(void);

/* One line: compiler, build type, and the optional parts with and without. Static. */
const char *torre_build_text(void);

#ifdef __cplusplus
}
#endif

#endif
