/* tabs, one line bodies, no newline at the end */
int f(n,a,b) int n; float*a,*b; {
	register int i,j; float t;
	for(i=0;i<n;i++){t=0.;for(j=0;j<n;j++)t+=a[i*n+j]*b[j];
		b[i+n]=t;}
	return(n);}