typedef struct { float x, y, z; struct { int id[2]; } tag; } atom;
void f(int n, atom *p, float dt)
{
    for (int i = 0; i < n; i++) {
        p[i].x += dt * p[i].y;
        p[i].tag.id[1] = p[i].tag.id[0] + 1;
    }
}
