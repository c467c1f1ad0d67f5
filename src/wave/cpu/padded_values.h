/* The parts of padded_field.c that handle values, included once per precision with REAL defined. */

/* k of plane x: (c dt / hx)^2, computed in double, rounded once. */
static void JOIN(import_factor, REAL)(const torre_wave_problem *p, const torre_padded_field *f,
                                      int64_t x)
{
    const torre_array *v = p->velocity_cells;
    int64_t rows = v ? v->shape[1] : 1, row_pitch = f->factor_row_pitch;
    REAL *plane = (REAL *)f->factor + x * f->factor_plane_pitch;
    const int64_t first = torre_pml_clamp(p, 0, x) * rows;
    for (int64_t y = 0; y < rows; y++) {
        const int64_t row = first + (rows == 1 ? 0 : torre_pml_clamp(p, 1, y));
        for (int64_t z = 0; z < f->size[2]; z++) {
            int64_t i = row * f->size[2] + torre_pml_clamp(p, 2, z);
            double c = v ? torre_value(v->precision, v->data, i) : p->velocity;
            double courant = c * p->dt / p->spacing[0];
            plane[y * row_pitch + z] = (REAL)(courant * courant);
        }
    }
}

/* hx^2 q of plane x, computed in double, rounded once. */
static void JOIN(import_potential, REAL)(const torre_scales *scales, const torre_padded_field *f,
                                         int64_t x)
{
    const int64_t rows = f->potential_row_pitch ? f->size[1] : 1, nz = f->size[2];
    REAL *plane = (REAL *)f->potential + x * f->potential_plane_pitch;
#pragma omp parallel for num_threads(scales->threads) schedule(static)
    for (int64_t y = 0; y < rows; y++)
        for (int64_t z = 0; z < nz; z += TORRE_DENSITY_PIECE) {
            double q[TORRE_DENSITY_PIECE];
            const int64_t count = nz - z < TORRE_DENSITY_PIECE ? nz - z : TORRE_DENSITY_PIECE;
            torre_scales_potential(scales, y, z, count, q);
            for (int64_t k = 0; k < count; k++)
                plane[y * f->potential_row_pitch + z + k] = (REAL)q[k];
        }
}

/* to[0 .. count-1] = sign * from. */
static void JOIN(mirror, REAL)(REAL *to, const REAL *from, int64_t count, int sign)
{
    if (sign > 0)
        memcpy(to, from, (size_t)count * sizeof(REAL));
    else
        for (int64_t i = 0; i < count; i++) to[i] = -from[i];
}

static void JOIN(refresh, REAL)(const torre_padded_field *f, int level, int64_t x, int64_t y0,
                                int64_t y1, int64_t z0, int64_t z1)
{
    REAL *u = (REAL *)f->level[level] + x * f->plane_pitch;
    const int64_t nz = f->size[2], R = f->half_width, pitch = f->row_pitch;
    if (z0 <= R || z1 >= nz - R) {
        /* the kernel wrote whole blocks: clear what lies behind the last cell */
        if (z1 == nz && f->tail > 0)
            for (int64_t y = y0; y < y1; y++)
                memset(u + y * pitch + nz, 0, (size_t)f->tail * sizeof(REAL));
        for (int g = 0; g < f->ghosts[2]; g++) {
            const torre_ghost_link link = f->ghost[2][g];
            if (link.source < z0 || link.source >= z1) continue;
            const REAL sign = (REAL)link.sign;
            for (int64_t y = y0; y < y1; y++)
                u[y * pitch + link.index] = sign * u[y * pitch + link.source];
        }
    }
    if (y0 <= R || y1 >= f->size[1] - R)
        for (int g = 0; g < f->ghosts[1]; g++) {
            const torre_ghost_link *link = &f->ghost[1][g];
            if (link->source >= y0 && link->source < y1) JOIN(mirror, REAL)
            (u + link->index * pitch + z0, u + link->source * pitch + z0, z1 - z0, link->sign);
        }
    if (x <= R || x >= f->size[0] - 1 - R)
        for (int g = 0; g < f->ghosts[0]; g++) {
            const torre_ghost_link *link = &f->ghost[0][g];
            if (link->source != x) continue;
            REAL *to = u + (link->index - x) * f->plane_pitch;
            for (int64_t y = y0; y < y1; y++)
                JOIN(mirror, REAL)(to + y * pitch + z0, u + y * pitch + z0, z1 - z0, link->sign);
        }
}

#undef REAL
