package io.haft;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the native libraries: the folder that -Dhaft.library.path names, the files inside the jar ({@link NativeCache} unpacks
 * them once), then java.library.path. Nothing is ever fetched from a network.
 *
 * <p>A process has one engine, whatever the number of class loaders: Java ties a library to one of them, so the first loads
 * engine and shim, and each of the others a copy of the shim, which finds the engine that is there.
 */
final class NativeLoader {
  static final String PROPERTY = "haft.library.path";
  static final String ENGINE = "libhaft.so.1";  // its SONAME, so that the shim finds the loaded one
  static final String SHIM = "libhaft_java.so";
  private static final Object OF_THE_PROCESS = "io.haft.NativeLoader";  // a text is one object in all class loaders
  private static boolean loaded;

  private NativeLoader() {}

  static void load() {
    synchronized (OF_THE_PROCESS) {  // two applications that start at once are not both the first
      if (loaded) return;
      String folder = System.getProperty(PROPERTY);
      if (folder != null && !folder.isEmpty()) loadNamed(Paths.get(folder));
      else if (!loadFromJar()) loadFromSystem(new ArrayList<>());
      loaded = true;
    }
  }

  private static void loadNamed(Path folder) {
    try {
      loadFrom(folder, Paths.get(System.getProperty("java.io.tmpdir", "/tmp")));
    } catch (UnsatisfiedLinkError e) {
      // A library that lacks a function is from another release: say so, with both paths.
      String text = String.valueOf(e.getMessage());
      String clash = text.contains("HAFT_") || text.contains("undefined symbol")
          ? " (" + folder.resolve(ENGINE) + " and " + folder.resolve(SHIM) + " are of different releases)"
          : "";
      throw failure("the folder of -D" + PROPERTY + " does not serve" + clash, List.of(folder + ": " + text), e);
    }
  }

  /** Engine and shim of a folder; where the process has an engine, that one, and a copy of the shim made in `copies`. */
  private static void loadFrom(Path folder, Path copies) {
    Path engine = folder.resolve(ENGINE).toAbsolutePath(), shim = folder.resolve(SHIM).toAbsolutePath();
    String there = engineOfTheProcess();
    if (there == null) {
      if (Files.exists(engine)) System.load(engine.toString());
      System.load(shim.toString());
      return;
    }
    if (!Files.exists(shim)) System.load(shim.toString());  // which says so
    try {
      loadCopy(shim, copies);
    } catch (UnsatisfiedLinkError e) {
      throw caused("this process has loaded the engine " + there + ", and " + engine + " is what this jar comes with (" + e.getMessage() + "). A process has one"
          + " engine: use the same release of haft everywhere in it, or put the jar where all share it (Tomcat: $CATALINA_BASE/lib)", e);
    }
  }

  private static void loadCopy(Path shim, Path copies) {
    Path copy = null;
    try {
      copy = Files.createTempFile(copies, NativeCache.NEW, ".so");  // an inode of its own: the system tells libraries apart by that
      Files.copy(shim, copy, StandardCopyOption.REPLACE_EXISTING);
      System.load(copy.toString());
    } catch (IOException e) {
      throw caused("no copy of " + shim + " for one more class loader: " + e, e);
    } finally {
      NativeCache.delete(copy);
    }
  }

  /** Where the engine lies that this process has loaded; null: none. */
  private static String engineOfTheProcess() {
    try (Stream<String> lines = Files.lines(Paths.get("/proc/self/maps"), java.nio.charset.StandardCharsets.ISO_8859_1)) {
      return lines.filter(l -> l.contains("/libhaft.so.") && l.contains(" r-xp ")).map(l -> l.substring(l.indexOf('/'))).findFirst().orElse(null);
    } catch (IOException | java.io.UncheckedIOException e) {
      return null;
    }
  }

  /** False when the jar holds no libraries for this machine, or no folder lets them run. */
  private static boolean loadFromJar() {
    String base = "io/haft/native/" + platform() + "/";
    if (resource(base + ENGINE) == null || resource(base + SHIM) == null) return false;
    List<String> tried = new ArrayList<>();
    for (Path parent : NativeCache.folders()) {
      try {
        loadFrom(NativeCache.unpacked(parent, base, files(base)), parent);
        return true;
      } catch (IOException e) {
        tried.add(parent + ": " + e);
      } catch (UnsatisfiedLinkError e) {
        // Only what the folder may be blamed for makes another one worth a try.
        if (!String.valueOf(e.getMessage()).contains("failed to map segment")) throw failure("the libraries of the jar do not load", List.of(parent + ": " + e.getMessage()), e);
        tried.add(parent + ": programs may not run from there (" + e.getMessage() + ")");
      }
    }
    loadFromSystem(tried);
    return true;
  }

  /** Of the class loader, not of the class: the libraries may be a jar, and a module, of their own. */
  static URL resource(String name) {
    return NativeLoader.class.getClassLoader().getResource(name);
  }

  /** What the jar brings along: engine and shim, and in a package the libraries that the engine needs; the plug-in for GPUs from a jar of its own. */
  private static List<String> files(String base) throws IOException {
    List<String> all = new ArrayList<>(listed(base + "files", List.of(ENGINE, SHIM)));
    all.addAll(listed(base + "files-cuda", List.of()));
    return all;
  }

  private static List<String> listed(String name, List<String> otherwise) throws IOException {
    URL url = resource(name);
    if (url == null) return otherwise;
    URLConnection c = url.openConnection();
    c.setUseCaches(false);  // a cached jar stays open after its application
    try (InputStream list = c.getInputStream()) {
      return List.of(new String(list.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).trim().split("\\s+"));
    }
  }

  private static void loadFromSystem(List<String> tried) {
    try {
      System.loadLibrary("haft_java");
    } catch (UnsatisfiedLinkError e) {
      tried.add("java.library.path=" + System.getProperty("java.library.path") + ": " + e.getMessage());
      throw failure("the native libraries of haft were not found", tried, e);
    }
  }

  private static UnsatisfiedLinkError failure(String what, List<String> tried, Throwable cause) {
    return caused("haft: " + what + "; set -D" + PROPERTY + "=FOLDER to the one with " + ENGINE + " and " + SHIM
        + ", or -D" + NativeCache.PROPERTY + " to one that lets programs run. Tried:\n  " + String.join("\n  ", tried), cause);
  }

  private static UnsatisfiedLinkError caused(String text, Throwable cause) {
    UnsatisfiedLinkError e = new UnsatisfiedLinkError(text);
    e.initCause(cause);
    return e;
  }

  private static String platform() {
    String os = System.getProperty("os.name", "").toLowerCase(java.util.Locale.ROOT), arch = System.getProperty("os.arch", "");
    return (os.contains("linux") ? "linux" : os.replace(' ', '-')) + "-" + (arch.equals("amd64") || arch.equals("x86_64") ? "x64" : arch);
  }
}
