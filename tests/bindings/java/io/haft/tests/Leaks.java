package io.haft.tests;

import io.haft.Haft;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Before the first class: the engine's generator starts from the seed. After the last one: no handle and no byte is alive once
 * the collector has run. */
public final class Leaks implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL).getOrComputeIfAbsent(Check.class, k -> new Check());
  }

  static void settle() {
    for (int i = 0; i < 100 && (Haft.liveHandles() > 0 || Haft.memoryStats().live() > 0); i++) {
      System.gc();
      Haft.trimMemory();  // weights that the engine keeps in the layout of its kernels count as live
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** HAFT_TEST_SEED, which repeats a run, or a new one. */
  static final long SEED = System.getenv("HAFT_TEST_SEED") != null ? Long.parseLong(System.getenv("HAFT_TEST_SEED")) : System.nanoTime() >>> 8;

  private static final class Check implements ExtensionContext.Store.CloseableResource {
    Check() {
      System.out.println("HAFT_TEST_SEED=" + SEED);
      Haft.manualSeed(SEED);
    }

    @Override
    public void close() {
      settle();
      long handles = Haft.liveHandles(), bytes = Haft.memoryStats().live();
      System.out.println("after the suite: " + handles + " handles, " + bytes + " bytes");
      if (handles != 0 || bytes != 0) throw new AssertionError("after the suite " + handles + " handles and " + bytes + " bytes are alive");
    }
  }
}
