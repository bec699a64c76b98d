#include <vector>
double sum(const std::vector<double> v)
{
    double s = 0;
    for (unsigned i = 0; i < v.size(); i++)
        s += v[i];
    return s;
}
