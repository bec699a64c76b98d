struct picture {
	int w, h;
	float *px;
};

void blur(struct picture *out, const struct picture *in)
{
	for (int x = 0; x < in->w; x++)
		for (int y = 1; y < in->h; y++)
			out->px[y * out->w + x] = in->px[y * in->w + x] + in->px[(y - 1) * in->w + x];
}
