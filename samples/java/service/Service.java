package service;

import io.haft.Device;
import io.haft.Haft;
import io.haft.HaftException;
import io.haft.Management;

/** Answers what is on pictures of clothing, by several models at once. README.md tells how to run and to ask it. */
public final class Service {
  private Service() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 1 && arguments[0].equals("--help")) {
      System.out.print(Options.HELP);
      return;
    }
    Options options;
    try {
      options = Options.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.print(e.getMessage() + "\n\n" + Options.HELP);
      System.exit(2);
      return;
    }
    JsonLines.least(options.log);
    // Before haft is first used: of every 128 objects one remembers where it was made, to be reported when nobody closes it.
    if (System.getProperty("haft.leaks") == null) System.setProperty("haft.leaks", "128");
    Thread.setDefaultUncaughtExceptionHandler((t, e) -> Log.error("failure", "thread", t.getName(), "exception", Log.trace(e)));
    Haft.setLogger(System.getLogger("io.haft"));
    Management.registerEngine();

    Device device;
    try {
      device = Device.of(options.device);
    } catch (HaftException e) {
      System.err.println("--device " + options.device + ": " + e.getMessage());
      System.exit(2);
      return;
    }
    Models models = new Models(options, device);
    Front front = new Front(options, models);
    front.start();  // alive, and not ready yet
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(front, models), "end"));
    if (!Signals.on("HUP", models::reload)) Log.warning("signal.missing", "signal", "SIGHUP");
    models.reload();
  }

  /** SIGTERM and Ctrl-C. */
  private static void end(Front front, Models models) {
    boolean all = front.drain();
    models.close();
    Log.info("stopped");
    Runtime.getRuntime().halt(all ? 0 : 1);  // who ended as he was asked to has not failed
  }
}
