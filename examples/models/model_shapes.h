/* Velocity models as functions of position (metres, z downwards), in m/s. */
#ifndef TORRE_MODEL_SHAPES_H
#define TORRE_MODEL_SHAPES_H

/* A box of extent[3] metres; models are drawn to fit it. */
double model_layers(const double at[3], const double extent[3]);
double model_salt(const double at[3], const double extent[3]);

#endif
