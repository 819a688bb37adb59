// A service that tells kinds of clothing: it loads a model, or trains one on Fashion-MNIST when there is none, and answers
//
//   POST /predict   {"image": [784 numbers from 0 to 255]}  ->  {"class": 9, "name": "Ankle boot", "scores": [...]}
//   GET  /metrics   Prometheus' text format
//   GET  /health    200 while it takes requests, 503 while it drains
//
// SIGTERM drains it: no new predictions, an answer for every request it has; then it ends with status 0.
//
//   java -cp haft.jar service/Service.java [--port 8080] [--weights clothes.safetensors] [--data DIR]
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.haft.*;
import io.haft.Module;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class Service implements AutoCloseable {
  static final String[] NAMES = {"T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};
  static final int PIXELS = 784, LARGEST_BODY = 1 << 16;
  static final float MEAN = 0.2860f, STD = 0.3530f;

  private final Module net;
  private final InferenceSession session;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(32);
  private final AtomicLong arrived = new AtomicLong(), ended = new AtomicLong();
  private final AtomicLong answered = new AtomicLong(), wrong = new AtomicLong(), refused = new AtomicLong(), failed = new AtomicLong();
  private volatile boolean draining;

  Service(Module net, int port) throws IOException {
    this.net = net;
    net.eval();
    // Requests that come together run together: up to 32 pictures, none of which waits longer than a millisecond.
    session = new InferenceSession(net, new InferenceSession.Options().name("clothes").maxBatch(32).maxDelay(Duration.ofMillis(1)).maxQueue(256).timeout(Duration.ofSeconds(5)));
    server = HttpServer.create(new InetSocketAddress(port), 256);
    page("/predict", this::predict);
    page("/metrics", e -> answer(e, 200, "text/plain; version=0.0.4", metrics()));
    page("/health", e -> answer(e, draining ? 503 : 200, "application/json", draining ? "{\"status\": \"draining\"}" : "{\"status\": \"ok\"}"));
    server.setExecutor(threads);
    server.start();
  }

  private void page(String path, HttpHandler handler) {
    server.createContext(path, e -> {
      arrived.incrementAndGet();
      handler.handle(e);
      ended.incrementAndGet();
    });
  }

  int port() {
    return server.getAddress().getPort();
  }

  // ---- requests ----

  private void predict(HttpExchange e) throws IOException {
    try {
      if (!e.getRequestMethod().equals("POST")) {
        answer(e, 405, "application/json", error("POST a picture"));
        return;
      }
      byte[] body = e.getRequestBody().readNBytes(LARGEST_BODY + 1);
      if (body.length > LARGEST_BODY) throw new IllegalArgumentException("the body is larger than " + LARGEST_BODY + " bytes");
      float[] pixels = pixels(new String(body, StandardCharsets.UTF_8));
      float[] scores;
      try (Scope scope = new Scope()) {
        scores = session.run(Tensor.of(pixels, 1, PIXELS)).softmax(1).toFloatArray();
      }
      answered.incrementAndGet();
      answer(e, 200, "application/json", prediction(scores));
    } catch (java.util.concurrent.RejectedExecutionException | java.util.concurrent.CancellationException | TimeLimitException full) {
      refused.incrementAndGet();
      e.getResponseHeaders().set("Retry-After", "1");
      answer(e, 503, "application/json", error(full.getMessage()));
    } catch (IllegalArgumentException bad) {
      wrong.incrementAndGet();
      answer(e, 400, "application/json", error(bad.getMessage()));
    } catch (RuntimeException ours) {
      failed.incrementAndGet();
      answer(e, 500, "application/json", error("internal error"));
    }
  }

  /** The numbers of {"image": [...]}. */
  static float[] pixels(String json) {
    int key = json.indexOf("\"image\""), open = key < 0 ? -1 : json.indexOf('[', key), close = open < 0 ? -1 : json.indexOf(']', open);
    if (close < 0) throw new IllegalArgumentException("wanted {\"image\": [784 numbers]}");
    String[] numbers = json.substring(open + 1, close).split(",");
    if (numbers.length != PIXELS) throw new IllegalArgumentException("wanted " + PIXELS + " numbers, got " + numbers.length);
    float[] out = new float[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
      float v;
      try {
        v = Float.parseFloat(numbers[i].trim());
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("number " + i + " is none");
      }
      if (!(v >= 0 && v <= 255)) throw new IllegalArgumentException("number " + i + " is not from 0 to 255");
      out[i] = (v / 255 - MEAN) / STD;
    }
    return out;
  }

  private static String prediction(float[] scores) {
    int best = 0;
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < scores.length; i++) {
      if (scores[i] > scores[best]) best = i;
      list.append(i == 0 ? "" : ", ").append(String.format(Locale.ROOT, "%.6f", scores[i]));
    }
    return "{\"class\": " + best + ", \"name\": \"" + NAMES[best] + "\", \"scores\": [" + list + "]}";
  }

  private static String error(String text) {
    return "{\"error\": \"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace('\n', ' ') + "\"}";
  }

  private static void answer(HttpExchange e, int status, String type, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    e.getResponseHeaders().set("Content-Type", type);
    e.sendResponseHeaders(status, body.length);
    try (OutputStream out = e.getResponseBody()) {
      out.write(body);
    }
  }

  // ---- metrics ----

  private static void metric(StringBuilder s, String name, String type, String help, double value) {
    s.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
    s.append(name).append(' ').append(value == Math.rint(value) && Math.abs(value) < 1e15 ? String.valueOf((long) value) : String.valueOf(value)).append('\n');
  }

  private static long resident() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status")))
        if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    } catch (IOException e) {
      // not on Linux
    }
    return 0;
  }

  String metrics() {
    StringBuilder s = new StringBuilder();
    metric(s, "predictions_total", "counter", "pictures answered", answered.get());
    metric(s, "bad_requests_total", "counter", "requests that were not understood", wrong.get());
    metric(s, "refused_total", "counter", "requests refused because of load or draining", refused.get());
    metric(s, "failures_total", "counter", "requests that failed inside", failed.get());
    metric(s, "process_resident_memory_bytes", "gauge", "memory of the process", resident());
    return s + Haft.metricsText();  // the engine tells of its sessions and memory itself
  }

  // ---- the end ----

  @Override
  public void close() {
    draining = true;  // load balancers see it at /health
    session.drain(Duration.ofSeconds(10));
    server.stop(1);
    threads.shutdown();
    try {
      threads.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    session.close();
    net.close();
    System.out.println("drained: answered " + ended + " of " + arrived + " requests");
  }

  // ---- the model ----

  static Module network() {
    return new Sequential(new Linear(PIXELS, 128), new ReLU(), new Linear(128, 10));
  }

  private static String find(String folder, String name) {
    Path plain = Path.of(folder, name);
    return Files.exists(plain) ? plain.toString() : plain + ".gz";
  }

  /** Two passes over the pictures: enough for about 86 %. */
  static void train(Module net, String folder) {
    System.out.println("training on " + folder);
    try (Dataset data = new IdxDataset(find(folder, "train-images-idx3-ubyte"), find(folder, "train-labels-idx1-ubyte")); Transform scale = Transform.toFloat();
        Transform normalize = Transform.normalize(MEAN, STD);
        DataLoader loader = new DataLoader(data, new DataLoader.Options().batchSize(64).shuffle(true).seed(0).workers(1).transforms(scale, normalize));
        Scope parameters = new Scope(); Optimizer optimizer = new AdamW(net.parameters(), 2e-3)) {
      for (int epoch = 0; epoch < 2; epoch++) {
        for (Batch batch : loader) {
          try (Scope scope = new Scope()) {
            Tensor loss = net.call(batch.get(0).flatten(1)).crossEntropy(batch.get(1));
            optimizer.zeroGrad();
            loss.backward();
            optimizer.step();
          }
        }
      }
    }
  }

  static Module model(String weights, String data) {
    Module net = network();
    if (Files.exists(Path.of(weights))) {
      net.load(weights);
    } else {
      train(net, data);
      net.save(weights);
    }
    return net;
  }

  public static void main(String[] arguments) throws IOException {
    // Without it the server's two packets an answer meet the client's delayed acknowledgement: 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    int port = 8080;
    String weights = "clothes.safetensors", data = "/usr/share/datasets/fashion-mnist";
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--port" -> port = Integer.parseInt(arguments[i + 1]);
        case "--weights" -> weights = arguments[i + 1];
        case "--data" -> data = arguments[i + 1];
        default -> {
          System.err.println("unknown option " + arguments[i]);
          System.exit(2);
        }
      }
    }
    Service service = new Service(model(weights, data), port);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      service.close();
      Runtime.getRuntime().halt(0);  // a service that ended as it was asked to has not failed
    }));
    System.out.println("listening on port " + service.port());
  }
}
