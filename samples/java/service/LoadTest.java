package service;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Many clients ask the service, all at once and without a pause: requests a second, latencies, whether its memory stays flat.
 *
 * <pre>java service/LoadTest.java http://localhost:8080 --models small,large --minutes 10    (--requests N; --clients 64)</pre>
 *
 * After a round to warm up come ten, and between them nobody asks. What the last one leaves is compared with what the first
 * one left. Tensors may grow by 1 MiB and objects of haft by four a client, for what is on its way; resident memory by a quarter
 * and 32 MiB, for the virtual machine's compiler, and the heap shall be of fixed size (-Xms, -Xmx, -XX:+AlwaysPreTouch). A
 * tensor lost with every request shows at once, 100 bytes of the C library's over a million requests.
 */
public final class LoadTest {
  private static final int ROUNDS = 10;
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;
  private final String[] models;
  private final int clients;

  private LoadTest(String base, String[] models, int clients) {
    this.base = base;
    this.models = models;
    this.clients = clients;
  }

  /** Latencies by their size, each place 1 % more than the one before: any number of requests in little memory. */
  private static final class Latencies {
    private final long[] counts = new long[2400];
    private long total, refused;

    void add(long nanos) {
      counts[(int) Math.min(counts.length - 1, Math.max(0, Math.round(100 * Math.log(nanos / 1e3))))]++;
      total++;
    }

    void add(Latencies other) {
      for (int i = 0; i < counts.length; i++) counts[i] += other.counts[i];
      total += other.total;
      refused += other.refused;
    }

    double milliseconds(double quantile) {
      long left = (long) Math.ceil(quantile * total);
      int i = 0;
      while (i < counts.length - 1 && (left -= counts[i]) > 0) i++;
      return Math.exp(i / 100.0) / 1e3;
    }

    String text(double seconds) {
      return String.format("%.0f/s, p50 %.2f ms, p99 %.2f ms%s", total / seconds, milliseconds(0.5), milliseconds(0.99),
          refused > 0 ? ", " + refused + " refused" : "");
    }
  }

  /** Figures of the service, when nobody asks; resident is the whole process. */
  private record Memory(double live, double handles, double resident) {
    @Override
    public String toString() {
      return String.format("%.0f bytes of tensors, %.0f objects, %.1f MiB", live, handles, resident / (1 << 20));
    }
  }

  private Memory memory() throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + "/metrics")).build();
    String text = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    return new Memory(figure(text, "haft_memory_live_bytes"), figure(text, "haft_live_handles"),
        figure(text, "process_resident_memory_bytes"));
  }

  /** The figure, of all labels together. */
  private static double figure(String text, String name) {
    double sum = Double.NaN;
    for (String line : text.split("\n")) {
      if (!line.startsWith(name + " ") && !line.startsWith(name + "{")) continue;
      sum = (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
    }
    if (Double.isNaN(sum)) throw new IllegalStateException("no figure " + name);
    return sum;
  }

  private static String picture(Random random) {
    StringBuilder s = new StringBuilder("{\"pictures\": [[");
    for (int i = 0; i < 784; i++) s.append(i == 0 ? "" : ",").append(random.nextInt(256));
    return s.append("]]}").toString();
  }

  /** One client, as long as there is more to ask. */
  private Latencies ask(int number, BooleanSupplier more) throws Exception {
    URI page = URI.create(base + "/models/" + models[number % models.length] + "/predict");
    HttpRequest request = HttpRequest.newBuilder(page)
        .POST(HttpRequest.BodyPublishers.ofString(picture(new Random(number)))).build();
    Latencies out = new Latencies();
    while (more.getAsBoolean()) {
      long start = System.nanoTime();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      boolean good = answer.statusCode() == 200 && answer.body().contains("\"class\"");
      if (good) out.add(System.nanoTime() - start);
      else if (answer.statusCode() == 429) out.refused++;
      else throw new IllegalStateException(answer.statusCode() + " " + answer.body());
    }
    return out;
  }

  private Latencies round(BooleanSupplier more) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    try {
      List<Future<Latencies>> all = new ArrayList<>();
      for (int k = 0; k < clients; k++) {
        int number = k;
        all.add(pool.submit(() -> ask(number, more)));
      }
      Latencies out = new Latencies();
      for (Future<Latencies> f : all) out.add(f.get());
      return out;
    } finally {
      pool.shutdownNow();
    }
  }

  /** Whether memory stayed flat. */
  private boolean run(double minutes, long requests) throws Exception {
    Latencies all = new Latencies();
    Memory first = null, last = null;
    double seconds = 0;
    for (int i = 0; i <= ROUNDS; i++) {
      AtomicLong asked = new AtomicLong();
      long start = System.nanoTime(), end = start + (long) (minutes * 60e9 / ROUNDS);
      BooleanSupplier byCount = () -> asked.incrementAndGet() <= requests / ROUNDS, byTime = () -> System.nanoTime() < end;
      Latencies now = round(requests > 0 ? byCount : byTime);
      double took = (System.nanoTime() - start) / 1e9;
      last = memory();
      if (i == 0) continue;
      if (i == 1) first = last;
      all.add(now);
      seconds += took;
      System.out.printf("%2d  %s; %s%n", i, now.text(took), last);
    }
    System.out.printf("%d clients, %d requests in %.0f s: %s%n", clients, all.total, seconds, all.text(seconds));
    Memory grown = new Memory(last.live - first.live, last.handles - first.handles, last.resident - first.resident);
    System.out.println("grown by " + grown);
    return grown.live <= 1 << 20 && grown.handles <= 4 * clients && grown.resident <= 0.25 * first.resident + (32 << 20);
  }

  public static void main(String[] arguments) throws Exception {
    String models = "small";
    int clients = 64;
    double minutes = 10;
    long requests = 0;
    for (int i = 1; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--models" -> models = arguments[i + 1];
        case "--clients" -> clients = Integer.parseInt(arguments[i + 1]);
        case "--minutes" -> minutes = Double.parseDouble(arguments[i + 1]);
        case "--requests" -> requests = Long.parseLong(arguments[i + 1]);
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    if (new LoadTest(arguments[0], models.split(","), clients).run(minutes, requests)) return;
    System.out.println("FAILED: memory grows");
    System.exit(1);
  }
}
