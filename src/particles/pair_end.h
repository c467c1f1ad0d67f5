/* What pair headers end with: leaves undefined what pair_begin.h found so. */
#ifdef TORRE_VALUE_UNSET
#undef TORRE_VALUE
#undef TORRE_VALUE_UNSET
#endif
#ifdef TORRE_STATE_UNSET
#undef TORRE_STATE
#undef TORRE_STATE_UNSET
#endif
#ifdef TORRE_SQRT_UNSET
#undef TORRE_SQRT
#undef TORRE_SQRT_UNSET
#endif
#ifdef TORRE_EXP_UNSET
#undef TORRE_EXP
#undef TORRE_EXP_UNSET
#endif
