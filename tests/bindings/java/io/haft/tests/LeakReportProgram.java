package io.haft.tests;

import io.haft.*;
import java.util.*;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Run with -Dhaft.leaks=1: what is closed is not reported, what is not is, once a place and with the place. */
public final class LeakReportProgram {
  private static void careful() {
    try (Tensor x = Tensor.ones(3)) {
      x.numel();
    }
    try (Scope scope = new Scope()) {
      Tensor.ones(3).add(1).numel();
    }
  }

  private static void careless() {
    Tensor x = Tensor.ones(3);
    x.add(1).numel();
  }

  /** The collector finds what another thread closed before this one, which made it, makes anything else. */
  private static void closedByAnother() throws InterruptedException {
    List<Tensor> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) all.add(Tensor.ones(3));
    Thread other = new Thread(() -> {
      all.forEach(Tensor::close);
      all.clear();
      careless();
    });
    other.start();
    other.join();
    collect(2);
  }

  private static void collect(long leaks) throws InterruptedException {
    while (LeakReports.count() < leaks) {
      System.gc();
      Thread.sleep(10);
    }
  }

  private static void check(boolean good, Object what) {
    if (!good) throw new AssertionError(what);
  }

  public static void main(String[] arguments) throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    Logger logger = Logger.getLogger("io.haft.leaks");
    logger.setUseParentHandlers(false);
    logger.addHandler(new Handler() {
      @Override
      public void publish(LogRecord r) {
        lines.add(r.getLevel() + " " + r.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    });
    closedByAnother();
    for (int i = 0; i < 5; i++) {
      careful();
      careless();
    }
    collect(12);
    check(LeakReports.count() == 12, LeakReports.count());
    check(lines.size() == 4, lines);  // the lines of x and of the sum, of two callers
    for (String line : lines) {
      check(line.startsWith("WARNING Tensor was not closed"), line);
      check(line.contains("LeakReportProgram.careless(") && line.indexOf("io.haft.") == line.indexOf("io.haft.tests."), line);
      check(!line.contains("careful("), line);
    }
    System.out.println("OK");
  }
}
