double a[1000];
int main(void)
{
    double sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += a[i];
    return sum > 0;
}
