/* picture.c -- reads, smooths and writes PGM pictures.     (c) nobody in particular
 *
 * usage: picture in.pgm out.pgm [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define PIX(im,x,y)	((im)->px[(y)*(im)->w+(x)])
#ifndef M_PI
#  define M_PI 3.14159265358979
#endif

typedef struct picture_s {
	int w, h;		/* width, height  */
	char *name;
	float *px;
} Picture;

static int verbose=0;

static float clampf(float v, float lo, float hi) { return v<lo ? lo : (v>hi ? hi : v); }

static Picture *new_picture(int w, int h, const char *name)
{
	Picture *p = calloc(1, sizeof(Picture));
	if (!p) { fprintf(stderr, "out of memory\n"); exit(1); }
	p->w = w; p->h = h;
	p->name = strdup(name);
	p->px = calloc((size_t)w*h, sizeof(float));
	return p;
}

static void free_picture(Picture *p) { if (p) { free(p->px); free(p->name); free(p); } }

/* vertical 1-4-6-4-1 filter;  the outermost two rows are left alone */
void smooth_columns(Picture *out, const Picture *in)
{
  int x, y;
  for (x=0; x<in->w; ++x)
  {
    for (y=2; y<in->h-2; ++y)
    {
	float s;
	s  =      PIX(in,x,y-2) + PIX(in,x,y+2);
	s += 4.f*(PIX(in,x,y-1) + PIX(in,x,y+1));
	s += 6.f* PIX(in,x,y);
	PIX(out,x,y) = clampf(s/16.f, 0.f, 1.f);
    }
  }
}

void smooth_rows(Picture *out, const Picture *in)
{
  int x, y;
  for (y=0; y<in->h; ++y) for (x=2; x<in->w-2; ++x) {
	float s = PIX(in,x-2,y) + PIX(in,x+2,y) + 4.f*(PIX(in,x-1,y)+PIX(in,x+1,y)) + 6.f*PIX(in,x,y);
	PIX(out,x,y) = s/16.f;
  }
}

static double gamma_of(const Picture *p){ double s=0; for(int i=0;i<p->w*p->h;i++) s+=pow(p->px[i],2.2); return s*M_PI/(p->w*p->h); }

int main(int argc, char **argv)
{
	Picture *a, *b;
	int rounds = argc>3 ? atoi(argv[3]) : 10, i;

	a = new_picture(3000, 2000, argc>1 ? argv[1] : "noise");
	b = new_picture(3000, 2000, "scratch");
	for (i=0; i<a->w*a->h; i++) a->px[i] = (float)(rand()%256)/255.f;
	for (i=0; i<rounds; i++) {
		smooth_columns(b, a);
		smooth_rows(a, b);
		if (verbose) fprintf(stderr, "round %d\n", i);
	}
	printf("%s: %.6f\n", a->name, gamma_of(a));
	free_picture(a); free_picture(b);
	return 0;
}
