// Sixteen clients ask the service for some seconds: latencies, and whether its memory stays flat.
//
//   java service/LoadTest.java http://localhost:8080 [SECONDS]
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class LoadTest {
  static final int CLIENTS = 16;

  /** The figure, of all labels together. */
  static double metric(HttpClient client, String base, String name) throws Exception {
    String text = client.send(HttpRequest.newBuilder(URI.create(base + "/metrics")).build(), HttpResponse.BodyHandlers.ofString()).body();
    double sum = Double.NaN;
    for (String line : text.split("\n")) {
      if (!line.startsWith(name + " ") && !line.startsWith(name + "{")) continue;
      sum = (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
    }
    if (Double.isNaN(sum)) throw new IllegalStateException("no metric " + name);
    return sum;
  }

  static String picture(Random random) {
    StringBuilder s = new StringBuilder("{\"image\": [");
    for (int i = 0; i < 784; i++) s.append(i == 0 ? "" : ",").append(random.nextInt(256));
    return s.append("]}").toString();
  }

  /** Microseconds of each request until the time is over. */
  static List<Long> ask(HttpClient client, String base, long until, long seed) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + "/predict")).POST(HttpRequest.BodyPublishers.ofString(picture(new Random(seed)))).build();
    List<Long> out = new ArrayList<>();
    while (System.nanoTime() < until) {
      long start = System.nanoTime();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200 || !answer.body().contains("\"class\"")) throw new IllegalStateException(answer.statusCode() + " " + answer.body());
      out.add((System.nanoTime() - start) / 1000);
    }
    return out;
  }

  static long[] round(HttpClient client, String base, double seconds) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
    long until = System.nanoTime() + (long) (seconds * 1e9);
    List<Future<List<Long>>> all = new ArrayList<>();
    for (int k = 0; k < CLIENTS; k++) {
      long seed = k;
      all.add(pool.submit(() -> ask(client, base, until, seed)));
    }
    List<Long> times = new ArrayList<>();
    for (Future<List<Long>> f : all) times.addAll(f.get());
    pool.shutdown();
    return times.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  public static void main(String[] arguments) throws Exception {
    String base = arguments[0];
    double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 10;
    HttpClient client = HttpClient.newHttpClient();
    round(client, base, seconds / 2);  // the virtual machine warms up
    double live = metric(client, base, "haft_memory_live_bytes"), handles = metric(client, base, "haft_live_handles");
    double resident = metric(client, base, "process_resident_memory_bytes");
    long[] t = round(client, base, seconds);
    double grownLive = metric(client, base, "haft_memory_live_bytes") - live, grownHandles = metric(client, base, "haft_live_handles") - handles;
    double grown = metric(client, base, "process_resident_memory_bytes") - resident;
    System.out.printf("%d clients, %d requests, %.0f/s: p50 %.2f ms, p99 %.2f ms, max %.2f ms%n", CLIENTS, t.length, t.length / seconds, t[t.length / 2] / 1e3,
        t[(int) (t.length * 0.99)] / 1e3, t[t.length - 1] / 1e3);
    System.out.printf("batches of %.1f pictures%n", metric(client, base, "haft_session_batch_requests_sum") / metric(client, base, "haft_session_batch_requests_count"));
    System.out.printf("grown by %.0f bytes of tensors, %.0f handles, %.1f MiB resident (of %.0f)%n", grownLive, grownHandles, grown / (1 << 20), resident / (1 << 20));
    if (grownLive > 1 << 20 || grownHandles > 64 || grown > 0.25 * resident + (32 << 20)) {
      System.out.println("FAILED: memory grows");
      System.exit(1);
    }
  }
}
