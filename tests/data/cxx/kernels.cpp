/* Loops as they are written in C++, beside things that are not read. */
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

template <class T> T twice(T x)
{
    return x + x;
}

namespace blas {

namespace {
constexpr double half = 0.5;
double table[64];
} // namespace

using real = double;

/* by reference, as generic code hands numbers on */
#pragma inflight set n = 5000
void saxpy(const std::size_t &n, const float &alpha, const float *__restrict x,
           float *__restrict y) noexcept
{
    for (std::size_t i = 0; i < n; ++i)
        y[i] += alpha * x[i];
}

#pragma inflight set n = 400
void saxpy(int n, double alpha, double const *x, double *y)
{
    for (int i = 0; i != n; i++)
        y[i] += half * alpha * static_cast<double>(x[i]);
}

#pragma inflight set n = 300
[[gnu::noinline]] static real limit(int n, const real *const a, real *b, real low = 0.75)
{
    auto sum = real(0);
    for (int i = 0; i < n; i++) {
        const auto value = std::max(low, std::min(a[i], 1.25));
        b[i] = value + table[i % 64] * std::sqrt(std::abs(a[i]));
        sum += b[i];
    }
    return sum;
}

double use_limit(const std::vector<double> &v, std::vector<double> &w)
{
    return limit(static_cast<int>(v.size()), v.data(), w.data());
}

} // namespace blas

namespace grid {

struct Shape {
    int nx, ny;
};

class Field
{
  public:
    explicit Field(Shape shape) : shape_(shape), old_(nullptr), new_(nullptr) {}
    virtual ~Field() = default;
    virtual void report() const;

    void step(double c) noexcept;

#pragma inflight set shape_.nx = 70
#pragma inflight set shape_.ny = 50
    double *scale(double factor)
    {
        for (int y = 0; y < shape_.ny; ++y)
            for (int x = 0; x < shape_.nx; ++x)
                new_[y * shape_.nx + x] *= factor;
        return nullptr;
    }

  private:
    Shape shape_;
    double *old_, *new_;
    std::string name_;
    std::vector<double> storage_;
};

#pragma inflight set shape_.nx = 70
#pragma inflight set shape_.ny = 50
#pragma inflight assume noalias(old_, new_)
void Field::step(double c) noexcept
{
    for (int y = 1; y < shape_.ny - 1; ++y)
        for (int x = 1; x < shape_.nx - 1; ++x)
            this->new_[y * shape_.nx + x] =
                old_[y * shape_.nx + x] +
                c * (old_[y * shape_.nx + x - 1] + old_[y * shape_.nx + x + 1] +
                     old_[(y - 1) * shape_.nx + x] + old_[(y + 1) * shape_.nx + x]);
}

} // namespace grid

namespace sparse {

class Csr
{
  public:
    void multiply(const double *x, double *y) const;
    int rows() const { return rows_; }

  private:
    int rows_;
    const std::int32_t *start_, *column_;
    const double *value_;
    std::unique_ptr<double[]> owner_;
};

#pragma inflight set rows_ = 300
#pragma inflight buffer start_ = offsets(5)
#pragma inflight buffer column_ = index(300)
#pragma inflight buffer column_ length 1500
#pragma inflight buffer value_ length 1500
#pragma inflight buffer x length 300
void Csr::multiply(const double *x, double *y) const
{
    for (auto i = 0; i < rows_; ++i) {
        double sum{0.0};
        for (auto k = start_[i]; k < start_[i + 1]; ++k)
            sum += value_[k] * x[column_[k]];
        y[i] = sum;
    }
}

} // namespace sparse

namespace {

struct Particle {
    double x, y, vx, vy;
    std::uint32_t cell;
    bool alive;
};

} // namespace

#pragma inflight set n = 500
void push(int n, Particle *p, double dt)
{
    for (int i = 0; i < n; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        if (p[i].alive && p[i].x > 1.0)
            p[i].vx = -p[i].vx;
    }
}

struct Body {
    double x, v;
    explicit operator bool() const { return x > 0; }
};

struct Counted {
    int nr;
    double *rate;
};

struct Marked : Counted, Body {
    double mass;
};

struct Cloud : protected Counted {
    double drive(int n, Marked *body);
};

#pragma inflight set nr = 60
#pragma inflight set n = 300
double Cloud::drive(int n, Marked *body)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < nr; j++) {
            body[i].v += rate[j] * body[i].mass;
            sum += body[i].v;
        }
    return sum;
}

#pragma inflight set cloud.nr = 4000
void slow(Marked &cloud)
{
    for (int i = 0; i < cloud.nr; i++)
        cloud.rate[i] *= cloud.v - cloud.mass;
}

template <class F> void for_each(int n, F f)
{
    for (int i = 0; i < n; ++i)
        f(i);
}

#pragma inflight set n = 900
double lambdas(int n, double a, const double *x, double *y)
{
    double sum = 0;
    for_each(n, [=](int i) { y[i] = a * x[i]; });
    for_each(n, [&sum, y](const int k) {
        sum += y[k];
    });
    return sum;
}

class Matrix
{
    int rows, cols;
    double *data;

  public:
    static constexpr int block = 8;
    void multiply(const Matrix &a, const Matrix &b);
    static void add(int n, const int (&)[4], double *x);
    static void fill(int n, double *x);
};

#pragma inflight set rows = 33
#pragma inflight set cols = 40
#pragma inflight set a.cols = 37
#pragma inflight set b.cols = 40
#pragma inflight assume noalias(a.data, data)
#pragma inflight assume noalias(b.data, data)
void Matrix::multiply(const Matrix &a, const Matrix &b)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int k = 0; k < a.cols; k++)
                sum += a.data[i * a.cols + k] * b.data[k * b.cols + j];
            data[i * cols + j] = sum;
        }
}

#pragma inflight set n = 200
void Matrix::fill(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = i * block;
}

extern "C" {
#pragma inflight set n = 100
double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
}

#pragma inflight set n = 60
void rows(int n, double (*a)[8], const double b[][8])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            a[i][j] = 2 * b[i][j];
}

#pragma inflight set n = 70
#pragma inflight set m = 50
void smooth(int n, int m, double *a, const double *b, Particle *p)
{
    for (int i = 0; i < n; i++) {
        Particle &q = p[i];
        const auto speed = q.vx;
        q.x += 0.5 * speed;
        for (int j = 0; j < m; j++) {
            double &to = a[i * m + j];
            const double &more = b[i * m + j] + 1.0;
            to = 0.5 * to + more;
        }
    }
}

/* A reference that is written: what it refers to is a result. */
#pragma inflight set n = 100
#pragma inflight set count = 3
void total(int n, const double *x, double &sum, std::size_t &count)
{
    for (int i = 0; i < n; i++)
        if (x[i] > 1.0) {
            sum += x[i];
            ++count;
        }
}

/* Whole structs, copied as C copies them. */
struct Cell {
    double mass, speed;
    int kind;
};

#pragma inflight set n = 200
void copies(int n, Cell *to, const Cell *from, double *sum)
{
    for (int i = 0; i < n; i++) {
        Cell cell = from[i];
        to[i] = cell;
        sum[i] = cell.mass * cell.speed + from[i].kind;
    }
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].kind += 1;
    }
}

/* What no C has beside the loops; some of it changes what they use. */
#pragma inflight set n = 200
double beside(int n, const double *x, double *y)
{
    struct Local {
        double s;
        double twice() const { return 2 * s; }
    };
    if (n < 0)
        throw std::runtime_error("negative");
    if (n == 0)
        return 0;
    std::vector<double> store(static_cast<std::size_t>(n), 0.5);
    double *const kept = store.data(), *fresh = new double[n + 1];
    auto less = [&n](int by) { n -= by; };
    less(n / 100);
    double last = 0;
    auto shown = [&last] { return last; };
    for (int i = 0; i < n; i++) {
        last = x[i] + kept[i];
        y[i] = last;
    }
    for (double &v : store)
        v += shown();
    try {
        std::swap(y[0], y[n - 1]);
    } catch (...) {
        less(1);
    }
    const auto pair = std::make_pair(n, 0.25);
    auto [count, factor] = pair;
    for (int i = 0; i < n; i++)
        fresh[i] = kept[i] * y[i];
    double all = factor * count + Local{shown()}.twice() + fresh[n - 1];
    delete[] fresh;
    return all;
}

int main()
{
    std::vector<double> v(10, 1.0), w(10);
    std::cout << twice(blas::use_limit(v, w)) << '\n';
    if (v.empty())
        throw std::runtime_error("empty");
    return 0;
}
