#include "locality/bin_lists.h"

#include <math.h>
#include <stdlib.h>

int64_t torre_bin_box_bins(const torre_bin_box *box)
{
    return box->size[0] * box->size[1] * box->size[2];
}

int64_t torre_bin_box_find(const torre_bin_box *box, const double position[3])
{
    int64_t bin = 0;
    for (int a = 0; a < 3; a++) {
        double n = (double)box->size[a], at = floor(position[a] / box->width[a]);
        int64_t i = (int64_t)(at - n * floor(at / n));
        bin = bin * box->size[a] + (i < box->size[a] ? i : 0);
    }
    return bin;
}

int torre_bin_box_adjacent(const torre_bin_box *box, int64_t bin, int64_t adjacent[27])
{
    int64_t choice[3][3];
    int choices[3], n = 0;
    for (int a = 2; a >= 0; a--) {
        int64_t size = box->size[a], i = bin % size;
        bin /= size;
        choices[a] = 0;
        choice[a][choices[a]++] = i;
        if (size > 1) choice[a][choices[a]++] = (i + 1) % size;
        if (size > 2) choice[a][choices[a]++] = (i + size - 1) % size;
    }
    for (int x = 0; x < choices[0]; x++)
        for (int y = 0; y < choices[1]; y++)
            for (int z = 0; z < choices[2]; z++)
                adjacent[n++] =
                    (choice[0][x] * box->size[1] + choice[1][y]) * box->size[2] + choice[2][z];
    return n;
}

void torre_bin_box_nearest(const torre_bin_box *box, const double p[3], const double q[3],
                           double d[3])
{
    for (int a = 0; a < 3; a++) {
        double length = (double)box->size[a] * box->width[a];
        d[a] = q[a] - p[a];
        d[a] -= length * rint(d[a] / length);
    }
}

bool torre_bin_lists_make(const torre_bin_box *box, int64_t count, const double (*position)[3],
                          torre_bin_lists *lists)
{
    int64_t bins = torre_bin_box_bins(box);
    lists->start = calloc((size_t)bins + 2, sizeof *lists->start);
    lists->member = malloc((size_t)(count + 1) * sizeof *lists->member);
    if (!lists->start || !lists->member) {
        torre_bin_lists_free(lists);
        return false;
    }
    /* counted two places ahead, so that filling the lists leaves the starts in place */
    for (int64_t p = 0; p < count; p++) lists->start[torre_bin_box_find(box, position[p]) + 2]++;
    for (int64_t b = 2; b <= bins + 1; b++) lists->start[b] += lists->start[b - 1];
    for (int64_t p = 0; p < count; p++)
        lists->member[lists->start[torre_bin_box_find(box, position[p]) + 1]++] = p;
    return true;
}

void torre_bin_lists_free(torre_bin_lists *lists)
{
    free(lists->start);
    free(lists->member);
    *lists = (torre_bin_lists){0};
}
