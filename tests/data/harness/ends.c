double ends(const double *p, const double *e)
{
    double sum = 0;
    while (p < e)
        sum += *p++;
    return sum;
}
