/* Zeilenenden von Windows, Umlaute: äöü — “q” */
#define IDX(r,c) \
	((r)*w+(c))
void f( int w , int h , double* img , double* out )
{
	int x ; int y ;
	for( y = 1 ; y < h-1 ; y++ )
	{
		for( x = 1 ; x < w-1 ; x++ ) // größer
		{
			out[ IDX(y,x) ] = 0.25 * ( img[IDX(y-1,x)] + img[IDX(y+1,x)] \
				+ img[IDX(y,x-1)] + img[IDX(y,x+1)] ) ;
		}
	}
}
