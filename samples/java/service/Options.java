package service;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The command line: --name value. */
final class Options {
  final Map<String, Path> models = new LinkedHashMap<>(), sentences = new LinkedHashMap<>();
  String address = "0.0.0.0", device = "cpu";
  int port = 8080, threads = 16;
  int maxBatch = 32, maxQueue = 256, maxBody = 1 << 20, maxRows = 32;
  Duration maxDelay = Duration.ofMillis(1), timeout = Duration.ofSeconds(5), bodyTime = Duration.ofSeconds(30);
  Duration linger = Duration.ZERO, drain = Duration.ofSeconds(20);
  System.Logger.Level log = System.Logger.Level.INFO;

  static final String HELP = """
      usage: service.Service --model NAME=FILE [--model NAME=FILE]... [OPTION VALUE]...
        --model NAME=FILE   a model and its weights (safetensors); any number of them
        --sentences NAME=FOLDER   an encoder of sentences: model.safetensors, vocab.txt and config.json; any number of them
        --device D          where the models compute: cpu, or cuda:0 where its plug-in is installed (cpu)
        --address A         where it listens (0.0.0.0: everywhere)
        --port N            0: any free one, which the event "listening" tells (8080)
        --threads N         that read requests, and as many that write answers (16)
        --max-batch N       rows of a model that run as one (32)
        --max-delay TIME    how long the first of a batch waits for company (1ms)
        --max-queue N       requests that wait for a model; one more is answered 429 (256)
        --timeout TIME      of a request, from its body to its answer (5s)
        --body-time TIME    how long a client may take to send its request; whole seconds (30s)
        --max-body N        bytes of a request (1048576)
        --max-rows N        pictures or sentences of a request (32)
        --linger TIME       how long it goes on after SIGTERM, not ready, until load balancers have seen it (0s)
        --drain TIME        how long the requests that it has may take then (20s)
        --log LEVEL         error, warning, info or debug: every request (info)
      Times are numbers with ms, s, m or h.
      """;

  static Options parse(String[] arguments) {
    Options o = new Options();
    for (int i = 0; i < arguments.length; i += 2) {
      String name = arguments[i];
      if (i + 1 == arguments.length) throw new IllegalArgumentException(name + " wants a value");
      o.set(name, arguments[i + 1]);
    }
    if (o.models.isEmpty() && o.sentences.isEmpty()) throw new IllegalArgumentException("there is no --model NAME=FILE");
    return o;
  }

  private void set(String name, String value) {
    switch (name) {
      case "--model", "--sentences" -> {
        // A name is part of a path, of a label and of a bean.
        if (!value.matches("[A-Za-z0-9._-]+=.+")) throw new IllegalArgumentException(name + " wants NAME=FILE, got '" + value + "'");
        String[] pair = value.split("=", 2);
        if (models.containsKey(pair[0]) || sentences.containsKey(pair[0])) throw new IllegalArgumentException("two models named " + pair[0]);
        (name.equals("--model") ? models : sentences).put(pair[0], Path.of(pair[1]));
      }
      case "--device" -> device = value;
      case "--address" -> address = value;
      case "--port" -> port = integer(name, value, 0, 65535);
      case "--threads" -> threads = integer(name, value, 1, 1024);
      case "--max-batch" -> maxBatch = integer(name, value, 1, 4096);
      case "--max-delay" -> maxDelay = time(name, value);
      case "--max-queue" -> maxQueue = integer(name, value, 1, 1 << 20);
      case "--timeout" -> timeout = time(name, value);
      case "--body-time" -> bodyTime = time(name, value);
      case "--max-body" -> maxBody = integer(name, value, 1, 1 << 30);
      case "--max-rows" -> maxRows = integer(name, value, 1, 4096);
      case "--linger" -> linger = time(name, value);
      case "--drain" -> drain = time(name, value);
      case "--log" -> log = level(value);
      default -> throw new IllegalArgumentException("unknown option '" + name + "'");
    }
  }

  private static int integer(String name, String value, int lowest, int highest) {
    try {
      int n = Integer.parseInt(value);
      if (n >= lowest && n <= highest) return n;
    } catch (NumberFormatException e) {
      // told below
    }
    throw new IllegalArgumentException(name + " wants a whole number from " + lowest + " to " + highest + ", got " + value);
  }

  private static Duration time(String name, String value) {
    if (!value.matches("\\d{1,9}(ms|s|m|h)")) throw new IllegalArgumentException(name + " wants a time as 500ms, got " + value);
    String unit = value.replaceAll("\\d", "");
    long n = Long.parseLong(value.replaceAll("\\D", ""));
    return switch (unit) {
      case "ms" -> Duration.ofMillis(n);
      case "s" -> Duration.ofSeconds(n);
      case "m" -> Duration.ofMinutes(n);
      default -> Duration.ofHours(n);
    };
  }

  private static System.Logger.Level level(String value) {
    return switch (value) {
      case "error" -> System.Logger.Level.ERROR;
      case "warning" -> System.Logger.Level.WARNING;
      case "info" -> System.Logger.Level.INFO;
      case "debug" -> System.Logger.Level.DEBUG;
      default -> throw new IllegalArgumentException("--log wants error, warning, info or debug, got '" + value + "'");
    };
  }
}
