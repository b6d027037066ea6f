// The part of libidn2 that Wire calls, declared here so that the package builds without libidn2-dev. The
// module map links the library, and only the trait IDN imports the module.
#ifndef CIDN_H
#define CIDN_H

#include <stdint.h>

// Flags, part of the library's stable interface since version 2.0.
#define IDN2_NFC_INPUT 1
#define IDN2_TRANSITIONAL 4
#define IDN2_NONTRANSITIONAL 8

// Statuses.
#define IDN2_OK 0
#define IDN2_ENCODING_ERROR (-200)
#define IDN2_PUNYCODE_BAD_INPUT (-202)
#define IDN2_PUNYCODE_BIG_OUTPUT (-203)
#define IDN2_PUNYCODE_OVERFLOW (-204)
#define IDN2_TOO_BIG_DOMAIN (-205)
#define IDN2_TOO_BIG_LABEL (-206)
#define IDN2_INVALID_ALABEL (-207)
#define IDN2_UALABEL_MISMATCH (-208)
#define IDN2_2HYPHEN (-301)
#define IDN2_HYPHEN_STARTEND (-302)
#define IDN2_LEADING_COMBINING (-303)
#define IDN2_DISALLOWED (-304)
#define IDN2_CONTEXTJ (-305)
#define IDN2_CONTEXTJ_NO_RULE (-306)
#define IDN2_CONTEXTO (-307)
#define IDN2_CONTEXTO_NO_RULE (-308)
#define IDN2_UNASSIGNED (-309)
#define IDN2_BIDI (-310)
#define IDN2_DOT_IN_LABEL (-311)
#define IDN2_INVALID_TRANSITIONAL (-312)
#define IDN2_INVALID_NONTRANSITIONAL (-313)
#define IDN2_ALABEL_ROUNDTRIP_FAILED (-314)

// Converts a name in UTF-8, whatever the locale, and allocates the result.
int idn2_lookup_u8(const uint8_t *source, uint8_t **result, int flags);

// Frees a result.
void idn2_free(void *result);

#endif
