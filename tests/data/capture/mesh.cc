// Elements that reach their nodes through accessors, as LULESH does.
#include <cstdio>
#include <vector>

typedef double Real;
typedef int Index;

class Points
{
  public:
    Real &x(Index i) { return x_[i]; }
    Index size() const { return size_; }

  protected:
    explicit Points(Index n) : size_(n), x_(n + 3) {}
    Index size_;
    std::vector<Real> x_;
};

class Mesh : public Points
{
  public:
    explicit Mesh(Index n) : Points(n), force_(n), nodes_(4 * n), weight_(new Real[n])
    {
        for (Index i = 0; i < n; i++) {
            weight_[i] = 0.5 * i;
            for (Index k = 0; k < 4; k++)
                nodes_[4 * i + k] = (i * 7 + k) % (n + 3);
        }
        for (Index i = 0; i < n + 3; i++)
            x_[i] = 1.0 / (i + 1);
    }
    ~Mesh() { delete[] weight_; }
    Real &force(Index i) { return force_[i]; }
    Real &weight(Index i) { return weight_[i]; }
    Index *nodes(Index i) { return &nodes_[Index(4) * i]; }
    void halve();

  private:
    std::vector<Real> force_;
    std::vector<Index> nodes_;
    Real *weight_;
};

__attribute__((noinline)) void Mesh::halve()
{
    for (Index i = 0; i < size_; i++)
        weight_[i] *= 0.5;
}

static Real mean(Mesh &mesh, const Index *node)
{
    return (mesh.x(node[0]) + mesh.x(node[1]) + mesh.x(node[2]) + mesh.x(node[3])) / 4;
}

static Real step(Mesh &mesh, Real dt)
{
    Real sum = 0;
    for (Index i = 0; i < mesh.size(); ++i) {
        mesh.force(i) += mean(mesh, mesh.nodes(i)) * mesh.weight(i) * dt;
        sum += mesh.force(i);
    }
    return sum;
}

template <class F> void parallel_for(const char *, Index from, Index to, const F &body)
{
    for (Index i = from; i < to; ++i)
        body(i);
}

static void relax(Mesh &mesh, Index n, Real by)
{
    parallel_for("relax", 1, n, [&](const Index i) {
        mesh.x(i) += by * (mesh.x(i - 1) - mesh.x(i));
    });
}

int main()
{
    Mesh mesh(500), empty(0);
    Real sum = step(empty, 1);
    for (int i = 0; i < 3; i++)
        sum += step(mesh, 0.25);
    mesh.halve();
    relax(mesh, mesh.size(), 0.5);
    sum += mesh.x(400);
    std::printf("%.17g\n", sum);
    return 0;
}
