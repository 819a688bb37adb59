/* OpenMP and OpenCL as oneDNN finds them in a self-contained package, Redis and InfiniBand as Gloo does. The engine
 * runs oneDNN on the CPU, single-threaded, from its own pool: a team has one thread, and there is no platform of
 * OpenCL. So no package brings a second pool of threads, and none opens drivers of the system. */

void GOMP_parallel(void (*run)(void*), void* data, unsigned threads, unsigned flags) {
  (void)threads;
  (void)flags;
  run(data);
}
void GOMP_barrier(void) {}
int omp_get_max_threads(void) { return 1; }
int omp_get_num_threads(void) { return 1; }
int omp_get_thread_num(void) { return 0; }
int omp_in_parallel(void) { return 0; }

/* All of OpenCL: CL_PLATFORM_NOT_FOUND_KHR. Who is told so by clGetPlatformIDs has nothing to call the others with. */
int no_opencl(void) { return -1001; }

/* All of hiredis and libibverbs: the engine has its own client of Redis and uses Gloo's TCP alone, so nobody calls
 * them. */
void* no_library(void) { return 0; }
