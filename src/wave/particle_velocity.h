/*
 * Receivers of particle velocity, and forces.
 *
 *     rho v_t = -grad p + f,     p_tt = rho c^2 div(1/rho grad p) + q - rho c^2 div(f / rho)
 *
 * Receivers take dp/dx of every step (slope.h). At the end of the run, once time dispersion is
 * corrected, velocity is made of these samples g,
 *
 *     v[n] = v[n-1] - dt / (24 rho) (-g[n-2] + 13 g[n-1] + 13 g[n] - g[n+1]),     v[0] = 0,
 *
 * right to 11/720 (w dt)^4 of it. Where one of the four is not there,
 * before the first step or after the last, the parabola through the three others is integrated,
 * dt / (12 rho) (5, 8, -1). Of a trace of two samples it is the trapezium.
 *
 * rho at a point is that of the nearest cell, as the scheme has it where density varies (1/s^2,
 * density.h). Then the velocity at A of a force at B is that at B of the same force at A, along the
 * axes of the receivers.
 */
#ifndef TORRE_PARTICLE_VELOCITY_H
#define TORRE_PARTICLE_VELOCITY_H

#include "wave/density.h"
#include "wave/slope.h"

/* Refuse components that the problem cannot have. what, index: "receiver", 3. */
torre_status torre_component_check(const torre_wave_problem *problem, const char *what,
                                   int64_t index, const torre_point *point);

/* By what a force's taps are multiplied at a cell: rho c^2 there over rho at the point. density: of
 * the problem. 1 of pressure. */
double torre_force_factor(const torre_wave_problem *problem, const torre_density *density,
                          const torre_point *point, int64_t cell);

/* The first `samples` samples of all traces that are of particle velocity, in their place. */
void torre_particle_velocity(const torre_wave_problem *problem, const torre_density *density,
                             torre_array *traces, int64_t samples);

#endif
