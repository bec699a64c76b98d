/* Particles in boxes, their forces from a table: structs that pointers lead to, arrays of three, a helper that gets a
 * struct and writes through pointers, a potential that is another struct than its pointer says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef ALONE
#define DUMP "replayed.bin"
#else
#define DUMP "forces.bin"
#endif
enum { BOXES = 8, ROOM = 16, ATOMS = BOXES * ROOM, KNOTS = 200 };

typedef double triple[3];
struct table {
    int n;
    double start, per_step, *values;
};
struct base {
    double cutoff;
    void (*destroy)(struct base *pot);
};
struct pair {
    double cutoff;
    void (*destroy)(struct base *pot);
    struct table *phi;
    double *rho;
};
struct boxes {
    int nr, *count;
};
struct atoms {
    int *id;
    triple *r, *f;
    double *u;
};
struct flow {
    struct boxes *boxes;
    struct atoms *atoms;
    struct base *pot;
};

static void look_up(const struct table *table, double r, double *f, double *df)
{
    const double *v = table->values;

    r = (r - table->start) * table->per_step;
    int i = (int)floor(r);
    if (i > table->n)
        i = table->n;
    r -= floor(r);
    *f = v[i] + r * (v[i + 1] - v[i]);
    *df = (v[i + 1] - v[i]) * table->per_step;
}

double forces(struct flow *s, struct pair *pot, int here, int nears, const int *near, double energy)
{
    double cutoff = pot->cutoff;

    for (int n = 0; n < nears; n++) {
        int there = near[n];
        if (there < here)
            continue;
        int nr = s->boxes->count[there];
        if (nr == 0)
            continue;
        for (int a = ROOM * here, k = 0; k < s->boxes->count[here]; k++, a++)
            for (int b = ROOM * there, l = 0; l < nr; l++, b++) {
                if (here < s->boxes->nr && s->atoms->id[b] <= s->atoms->id[a])
                    continue;
                double r2 = 0;
                triple d;
                for (int m = 0; m < 3; m++) {
                    d[m] = s->atoms->r[a][m] - s->atoms->r[b][m];
                    r2 += d[m] * d[m];
                }
                if (r2 > cutoff)
                    continue;
                double phi, slope;
                look_up(pot->phi, sqrt(r2), &phi, &slope);
                for (int m = 0; m < 3; m++) {
                    s->atoms->f[a][m] -= slope * d[m];
                    s->atoms->f[b][m] += slope * d[m];
                }
                energy += phi;
                s->atoms->u[a] += 0.5 * phi;
                pot->rho[b] += phi;
            }
    }
    FILE *file = pot->phi->n == KNOTS && here == 2 ? fopen(DUMP, "wbx") : NULL;
    if (file) {
        fwrite(&energy, sizeof(energy), 1, file);
        fwrite(s->atoms->f, sizeof(triple), ROOM * 3, file);
        fwrite(s->atoms->u, sizeof(double), ROOM * 3, file);
        fclose(file);
    }
    return energy;
}

#ifndef ALONE
int main(void)
{
    int count[BOXES] = {9, 16, 12, 3, 0, 5, 16, 1}, near[5] = {1, 5, 2, 4, 3};
    struct table *phi = malloc(sizeof(*phi));
    struct pair *pot = malloc(sizeof(*pot));
    struct boxes *boxes = malloc(sizeof(*boxes));
    struct atoms *atoms = malloc(sizeof(*atoms));
    struct flow flow = {boxes, atoms, (struct base *)pot};
    double energy = 0.5;

    *phi = (struct table){KNOTS, 0.01, 50, malloc((KNOTS + 2) * sizeof(double))};
    for (int i = 0; i < KNOTS + 2; i++)
        phi->values[i] = 1.0 / (i + 1) - 0.02;
    *pot = (struct pair){9, NULL, phi, calloc(ATOMS, sizeof(double))};
    *boxes = (struct boxes){6, count};
    *atoms = (struct atoms){malloc(ATOMS * sizeof(int)), malloc(ATOMS * sizeof(triple)), calloc(ATOMS, sizeof(triple)),
                            calloc(ATOMS, sizeof(double))};
    for (int i = 0; i < ATOMS; i++) {
        atoms->id[i] = i * 37 % ATOMS;
        for (int m = 0; m < 3; m++)
            atoms->r[i][m] = 0.125 * (i * (m + 3) % 23);
    }
    for (int here = 0; here < 3; here++)
        energy = forces(&flow, (struct pair *)flow.pot, here, 5, near, energy);
    printf("%.17g\n", energy);
    return 0;
}
#endif
