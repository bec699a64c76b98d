void f(int n, char *s)
{
    for (int i = 0; i < n && s[i] != '\0'; i++)
        if (s[i] >= 'a' && s[i] <= 'z')
            s[i] = (char)(s[i] - 'a' + 'A');
}
