package io.haft.tests;

import io.haft.*;
import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** What loading.sh starts: "where" prints the library's path, "redeploy N" loads haft in N class loaders, "together N" in N
 * at once, "exit" leaves the machine in the middle of work. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("where")) {
      System.out.println(Haft.libraryPath() + " " + Tensor.ones(2).sum().item());
      return;
    }
    if (arguments[0].equals("redeploy")) {
      redeploy(Integer.parseInt(arguments[1]));
      return;
    }
    if (arguments[0].equals("together")) {
      together(Integer.parseInt(arguments[1]));
      return;
    }
    // Live tensors, a loader whose threads call into Java, a session, and threads inside of operators.
    List<Tensor> live = new ArrayList<>();
    for (int i = 0; i < 100; i++) live.add(Tensor.ones(1000));
    DataLoader loader = new DataLoader(Dataset.of(1_000_000, i -> new Tensor[] {Tensor.ones(100).mul((double) i)}), new DataLoader.Options().batchSize(16).workers(3));
    loader.next();
    io.haft.Module net = new Sequential(new Linear(64, 64), new ReLU());
    InferenceSession session = new InferenceSession(net);
    for (int k = 0; k < 2; k++) {
      Thread t = new Thread(() -> {
        while (true) session.run(Tensor.randn(8, 64)).close();
      });
      t.setDaemon(true);
      t.start();
    }
    Haft.setLogSink(LogLevel.DEBUG, (level, text) -> {});
    Runtime.getRuntime().addShutdownHook(new Thread(() -> loader.next().close()));
    Thread.sleep(100);
    System.out.println("leaving");
    if (arguments[0].equals("exit")) System.exit(0);
    if (arguments[0].equals("halt")) Runtime.getRuntime().halt(0);
  }

  private static URLClassLoader loader() throws Exception {
    List<URL> path = new ArrayList<>();
    for (String p : System.getProperty("java.class.path").split(File.pathSeparator)) path.add(new File(p).toURI().toURL());
    return new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  /** Applications that a web server starts at the same moment. */
  private static void together(int times) throws Exception {
    CountDownLatch all = new CountDownLatch(times);
    List<FutureTask<String>> paths = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      Class<?> haft = loader().loadClass("io.haft.Haft");
      FutureTask<String> path = new FutureTask<>(() -> {
        all.countDown();
        all.await();
        return (String) haft.getMethod("libraryPath").invoke(null);
      });
      paths.add(path);
      new Thread(path).start();
    }
    Set<String> engines = new HashSet<>();
    for (FutureTask<String> path : paths) engines.add(path.get());
    System.out.println(times + " at once: " + engines);
  }

  /** Each time in a class loader of its own, as a web server does; all but the last must be collected. */
  private static void redeploy(int times) throws Exception {
    List<WeakReference<ClassLoader>> gone = new ArrayList<>();
    String engine = null;
    for (int i = 0; i < times; i++) {
      URLClassLoader loader = loader();
      Thread.currentThread().setContextClassLoader(loader);
      ((Runnable) loader.loadClass("io.haft.tests.Application").getConstructor().newInstance()).run();
      String now = (String) loader.loadClass("io.haft.Haft").getMethod("libraryPath").invoke(null);
      if (engine != null && !engine.equals(now)) throw new AssertionError("a second engine: " + now + " beside " + engine);
      engine = now;
      Thread.currentThread().setContextClassLoader(null);
      gone.add(new WeakReference<>(loader));
      loader.close();
    }
    long left = times;
    for (int i = 0; i < 600 && left > 0; i++) {
      System.gc();
      Thread.sleep(100);
      left = gone.stream().filter(r -> r.get() != null).count();
    }
    for (int i = 0; i < times; i++) if (gone.get(i).get() != null) System.out.println("left: the class loader of round " + i);
    System.out.println(times + " times, " + left + " class loaders left");
  }
}
