package io.haft;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;

/**
 * The libraries of the jar as files: unpacked once into a folder named by their content, which later starts find there. What
 * lies there is taken only when it is this user's alone and the same bytes as in the jar. Several processes may do this at
 * once: each writes aside, and the first to be done gives the folder its name.
 */
final class NativeCache {
  static final String PROPERTY = "haft.cache";
  private static final Duration ABANDONED = Duration.ofHours(1), UNUSED = Duration.ofDays(30);
  static final String NEW = ".haft-new-";  // the folder may be a user's, with files of his own

  private NativeCache() {}

  /** Where to try, in order: what -Dhaft.cache names, the user's cache, the temporary folder. */
  static List<Path> folders() {
    List<Path> out = new ArrayList<>();
    String named = System.getProperty(PROPERTY), cache = System.getenv("XDG_CACHE_HOME");
    if (named != null && !named.isEmpty()) out.add(Paths.get(named));
    out.add((cache != null && !cache.isEmpty() ? Paths.get(cache) : Paths.get(System.getProperty("user.home", "."), ".cache")).resolve("haft"));
    out.add(Paths.get(System.getProperty("java.io.tmpdir", "/tmp"), "haft-" + System.getProperty("user.name", "user")));
    return out;
  }

  /** The folder below `parent` with these files of the jar. */
  static Path unpacked(Path parent, String base, List<String> names) throws IOException {
    List<Packed> files = new ArrayList<>();
    CRC32 all = new CRC32();
    for (String name : names) {
      Packed f = new Packed(name, base);
      files.add(f);
      all.update((name + f.crc).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    Files.createDirectories(parent, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    checkOwner(parent);
    Path folder = parent.resolve(String.format("%s-%08x", version(), all.getValue())).toAbsolutePath();
    if (holds(folder, files)) {
      markUsed(folder);
      return folder;
    }
    deleteOld(parent, NEW + "*", ABANDONED);  // of a process that was killed while it unpacked
    deleteOld(parent, "*-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]", UNUSED);
    Path aside = Files.createTempDirectory(parent, NEW);  // for this user alone
    try {
      for (Packed f : files) f.writeTo(aside);
      try {
        Files.move(aside, folder, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {  // somebody was first, or what is there is damaged
        if (holds(folder, files)) return folder;
        Path damaged = Files.createTempDirectory(parent, NEW);
        Files.move(folder, damaged, StandardCopyOption.ATOMIC_MOVE);
        delete(damaged);
        Files.move(aside, folder, StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      delete(aside);
    }
    return folder;
  }

  private static boolean holds(Path folder, List<Packed> files) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) return false;
    checkOwner(folder);
    for (Packed f : files)
      if (!f.isIn(folder)) return false;
    return true;
  }

  /** Programs that others could have written are not run. */
  private static void checkOwner(Path folder) throws IOException {
    Object me = Files.getAttribute(Paths.get("/proc/self"), "unix:uid"), owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    int mode = (int) Files.getAttribute(folder, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    if (!me.equals(owner) || (mode & 022) != 0)
      throw new IOException(String.format("%s belongs to user %s with mode %o, wanted a folder that only user %s can write to", folder, owner, mode & 07777, me));
  }

  private static String version() {
    String v = NativeCache.class.getPackage().getImplementationVersion();
    java.lang.module.ModuleDescriptor module = NativeCache.class.getModule().getDescriptor();  // whose packages have no version
    if (v == null && module != null) v = module.rawVersion().orElse(null);
    return v != null ? v : "development";
  }

  private static void deleteOld(Path parent, String pattern, Duration age) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, pattern)) {
      for (Path p : all) if (isOlder(p, age) && isOurs(p)) delete(p);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private static boolean isOurs(Path p) {
    return p.getFileName().toString().startsWith(NEW) || Files.isRegularFile(p.resolve(NativeLoader.ENGINE), LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean isOlder(Path p, Duration age) {
    try {
      return Files.getLastModifiedTime(p, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(Instant.now().minus(age));
    } catch (IOException e) {
      return false;  // another process has deleted it
    }
  }

  private static void markUsed(Path folder) {
    try {
      if (isOlder(folder, Duration.ofDays(1))) Files.setLastModifiedTime(folder, FileTime.from(Instant.now()));
    } catch (IOException e) {
      // a cache that this process may only read
    }
  }

  /** A file, or a folder of files, in which there are no others; what cannot go stays. */
  static void delete(Path p) {
    try {
      if (p == null) return;
      if (Files.isDirectory(p, LinkOption.NOFOLLOW_LINKS)) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(p)) {
          for (Path f : files) Files.deleteIfExists(f);
        }
      }
      Files.deleteIfExists(p);
    } catch (IOException e) {
      // another process is at it
    }
  }

  /** A library in the jar (or, while haft itself is built, in a folder of classes). */
  private static final class Packed {
    final String name;
    final long size, crc;
    private final URL url;

    Packed(String name, String base) throws IOException {
      this.name = name;
      url = NativeLoader.resource(base + name);
      if (url == null) throw new IOException("the jar lacks " + base + name);
      URLConnection c = url.openConnection();
      c.setUseCaches(false);  // a cached jar stays open after its application
      if (c instanceof JarURLConnection) {
        try (java.util.jar.JarFile jar = ((JarURLConnection) c).getJarFile()) {
          ZipEntry e = ((JarURLConnection) c).getJarEntry();
          size = e.getSize();
          crc = e.getCrc();
        }
      } else {
        try (InputStream in = c.getInputStream()) {
          byte[] bytes = in.readAllBytes();
          size = bytes.length;
          crc = crcOf(bytes);
        }
      }
    }

    void writeTo(Path folder) throws IOException {
      URLConnection c = url.openConnection();
      c.setUseCaches(false);
      try (InputStream in = c.getInputStream()) {
        Files.copy(in, folder.resolve(name));
      } catch (FileAlreadyExistsException e) {
        throw new IOException("the jar names " + name + " twice", e);
      }
    }

    boolean isIn(Path folder) throws IOException {
      Path file = folder.resolve(name);
      return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) == size && crcOf(Files.readAllBytes(file)) == crc;
    }

    private static long crcOf(byte[] bytes) {
      CRC32 crc = new CRC32();
      crc.update(bytes);
      return crc.getValue();
    }
  }
}
