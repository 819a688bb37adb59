package io.haft;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the native libraries: the folder that -Dhaft.library.path names, the files inside the jar (unpacked into the
 * temporary folder, or into the user's cache when that one forbids programs), then java.library.path. Nothing is ever
 * fetched from a network.
 */
final class NativeLoader {
  static final String PROPERTY = "haft.library.path";
  private static final String ENGINE = "libhaft.so.1";  // its SONAME, so that the shim finds the loaded one
  private static final String SHIM = "libhaft_java.so";
  private static boolean loaded;

  private NativeLoader() {}

  static synchronized void load() {
    if (loaded) return;
    String folder = System.getProperty(PROPERTY);
    if (folder != null && !folder.isEmpty()) loadFrom(folder);
    else if (!loadFromJar()) loadFromSystem(new ArrayList<>());
    loaded = true;
  }

  private static void loadFrom(String folder) {
    Path engine = Paths.get(folder, ENGINE).toAbsolutePath(), shim = Paths.get(folder, SHIM).toAbsolutePath();
    try {
      if (Files.exists(engine)) System.load(engine.toString());
      System.load(shim.toString());
    } catch (UnsatisfiedLinkError e) {
      // A library that lacks a function is from another release: say so, with both paths.
      String text = String.valueOf(e.getMessage());
      String clash = text.contains("HAFT_") || text.contains("undefined symbol") ? " (" + engine + " and " + shim + " are of different releases)" : "";
      throw failure("the folder of -D" + PROPERTY + " does not serve" + clash, List.of(folder + ": " + text), e);
    }
  }

  /** False when the jar holds no libraries for this machine, or no folder lets them run. */
  private static boolean loadFromJar() {
    String base = "native/" + platform() + "/";
    if (NativeLoader.class.getResource(base + ENGINE) == null || NativeLoader.class.getResource(base + SHIM) == null) return false;
    List<String> tried = new ArrayList<>();
    for (Path parent : folders()) {
      try {
        unpackInto(parent, base);
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

  private static List<Path> folders() {
    List<Path> out = new ArrayList<>();
    out.add(Paths.get(System.getProperty("java.io.tmpdir", "/tmp")));
    String cache = System.getenv("XDG_CACHE_HOME");
    Path home = cache != null && !cache.isEmpty() ? Paths.get(cache) : Paths.get(System.getProperty("user.home", "."), ".cache");
    out.add(home.resolve("haft").resolve(version()));
    return out;
  }

  private static String version() {
    String v = NativeLoader.class.getPackage().getImplementationVersion();
    return v != null ? v : "development";
  }

  private static void unpackInto(Path parent, String base) throws IOException {
    Files.createDirectories(parent);
    Path folder = Files.createTempDirectory(parent, "haft-", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    List<String> names = files(base);
    try {
      for (String name : names) {
        Path file = folder.resolve(name);
        try (InputStream in = NativeLoader.class.getResourceAsStream(base + name)) {
          Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
      }
      System.load(folder.resolve(ENGINE).toString());
      System.load(folder.resolve(SHIM).toString());
    } finally {  // the mapped files live on without names: nothing stays behind, whatever becomes of this process
      for (String name : names) Files.deleteIfExists(folder.resolve(name));
      Files.deleteIfExists(folder);
    }
  }

  /** What the jar brings along: engine and shim, and in a package the libraries that the engine needs. */
  private static List<String> files(String base) throws IOException {
    try (InputStream list = NativeLoader.class.getResourceAsStream(base + "files")) {
      if (list == null) return List.of(ENGINE, SHIM);
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
    UnsatisfiedLinkError e = new UnsatisfiedLinkError("haft: " + what + "; set -D" + PROPERTY + "=FOLDER to the one with " + ENGINE + " and " + SHIM
        + ", or -Djava.io.tmpdir to one that lets programs run. Tried:\n  " + String.join("\n  ", tried));
    e.initCause(cause);
    return e;
  }

  private static String platform() {
    String os = System.getProperty("os.name", "").toLowerCase(java.util.Locale.ROOT), arch = System.getProperty("os.arch", "");
    return (os.contains("linux") ? "linux" : os.replace(' ', '-')) + "-" + (arch.equals("amd64") || arch.equals("x86_64") ? "x64" : arch);
  }
}
