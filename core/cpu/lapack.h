// LAPACK, opened when a large matrix first wants it and only where it is there. It keeps no threads: of OpenBLAS the
// build with one thread is taken, or that with OpenMP, whose team is held at one (Alone); the build with a pool of its
// own is closed again.
//
// It is looked for as HAFT_LAPACK says, an absolute path ("none": nowhere), then among OpenBLAS's builds, then as the
// loader finds liblapack.so.3.
#pragma once

namespace haft::cpu {

struct Lapack {
  // Fortran's, with what compilers add for texts.
  template <class T>
  using Syevd = void (*)(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, T* w,
                         T* work, const int* lwork, int* iwork, const int* liwork, int* info, unsigned long,
                         unsigned long);
  template <class T>
  using Gesdd = void (*)(const char* jobz, const int* m, const int* n, T* a, const int* lda, T* s, T* u,
                         const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* iwork,
                         int* info, unsigned long);
  template <class T>
  using Geev = void (*)(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* wr,
                        T* wi, T* vl, const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork,
                        int* info, unsigned long, unsigned long);
  Syevd<float> ssyevd = nullptr;
  Syevd<double> dsyevd = nullptr;
  Gesdd<float> sgesdd = nullptr;
  Gesdd<double> dgesdd = nullptr;
  Geev<float> sgeev = nullptr;
  Geev<double> dgeev = nullptr;

  Syevd<float> syevd(float*) const { return ssyevd; }
  Syevd<double> syevd(double*) const { return dsyevd; }
  Gesdd<float> gesdd(float*) const { return sgesdd; }
  Gesdd<double> gesdd(double*) const { return dgesdd; }
  Geev<float> geev(float*) const { return sgeev; }
  Geev<double> geev(double*) const { return dgeev; }

  // Of the OpenMP that the library brings, if any.
  int (*get_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  // Holds this thread's team at one while it lives; the host program's setting comes back after.
  class Alone {
    const Lapack& l_;
    const int saved_;

   public:
    explicit Alone(const Lapack& l) : l_(l), saved_(l.set_threads ? l.get_threads() : 1) {
      if (saved_ != 1) l_.set_threads(1);
    }
    ~Alone() {
      if (saved_ != 1) l_.set_threads(saved_);
    }
    Alone(const Alone&) = delete;
  };
};
const Lapack* lapack();  // NULL: there is none

// From these sizes on the library is faster than haft's own loops.
constexpr long kLapackEigenvalues = 33, kLapackSingularValues = 8;

}  // namespace haft::cpu
