package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.time.Duration;
import java.util.concurrent.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Leaks.class)
class StoreTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void use(Store store) {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) all[i] = (byte) i;
    store.set("all", all);
    assertArrayEquals(all, store.get("all"));
    store.set("none", new byte[0]);
    assertEquals(0, store.get("none", Duration.ZERO).length);
    byte[] large = new byte[1 << 20];
    large[large.length - 1] = 7;
    store.set("large", large);
    assertArrayEquals(large, store.get("large", LONG));
    store.set("text", "gr\u00fc\u00df \ud83d\ude00");
    assertEquals("gr\u00fc\u00df \ud83d\ude00", store.getString("text", LONG));
    assertEquals(5, store.add("sum", 5));
    assertEquals(3, store.add("sum", -2));
    assertThrows(InvalidArgumentException.class, () -> store.add("text", 1));
    assertTrue(store.has("all", "sum"));
    assertFalse(store.has("all", "missing"));
    assertTrue(store.has());
    assertTrue(store.compareAndSet("cas", new byte[0], bytes("one")));
    assertFalse(store.compareAndSet("cas", bytes("two"), bytes("three")));
    assertTrue(store.compareAndSet("cas", bytes("one"), bytes("two")));
    assertArrayEquals(bytes("two"), store.compareAndExchange("cas", bytes("one"), bytes("three")));
    assertArrayEquals(bytes("three"), store.compareAndExchange("cas", bytes("two"), bytes("three")));
    assertArrayEquals(bytes("two"), store.compareAndExchange("cas", bytes("three"), bytes("two")));
    assertArrayEquals(new byte[0], store.compareAndExchange("no key", bytes("two"), bytes("three")));
    assertEquals("two", store.getString("cas", null));
    assertTrue(store.remove("cas"));
    assertFalse(store.remove("cas"));
    try (Store part = store.prefixed("part")) {
      part.set("key", "of the part");
      assertEquals("of the part", store.getString("part/key", LONG));
      assertFalse(store.has("key"));
    }
    store.await(LONG, "all", "sum");
    store.lease("sign", bytes("of life"), LONG);
    assertTrue(store.has("sign"));
    store.lease("sign", bytes("of life"), Duration.ofMillis(1));
    while (store.has("sign")) Thread.onSpinWait();
  }

  @Test
  void values() {
    try (Store store = Store.hash()) {
      use(store);
      assertEquals(0, store.port());
    }
    try (Store store = Store.open("tcp://127.0.0.1:0", new Store.Options().serve(true).secret("sesame"))) {
      assertTrue(store.port() > 0);
      String url = "tcp://127.0.0.1:" + store.port();
      try (Store client = Store.open(url, new Store.Options().secret("sesame").timeout(LONG))) {
        use(client);
        assertArrayEquals(store.get("all"), client.get("all"));
      }
      assertThrows(InvalidArgumentException.class, () -> Store.open(url, new Store.Options().secret("wrong").timeout(LONG)));
    }
  }

  @Test
  void waitingEnds(@TempDir Path folder) throws Exception {
    try (Store store = Store.open("file://" + folder, new Store.Options().run("a"))) {
      TimeLimitException late = assertThrows(TimeLimitException.class, () -> store.get("missing", Duration.ofMillis(10)));
      assertTrue(late.getMessage().contains("0.01 s") && late.getMessage().contains("missing"), late.getMessage());
      store.set("there", "");
      late = assertThrows(TimeLimitException.class, () -> store.await(Duration.ofMillis(300), "there", "missing"));
      assertTrue(late.getMessage().contains("waited 0.3 s for key") && late.getMessage().contains("missing"), late.getMessage());
      CompletableFuture<String> value = CompletableFuture.supplyAsync(() -> store.getString("later", LONG));
      assertFalse(value.isDone());
      store.set("later", "now");
      assertEquals("now", value.get(10, TimeUnit.MINUTES));
    }
    try (Store other = Store.open("file://" + folder, new Store.Options().run("b"))) {
      assertFalse(other.has("there"));
    }
  }

  @Test
  void interruptionEndsWaiting() throws Exception {
    try (Store store = Store.hash()) {
      CompletableFuture<Boolean> came = new CompletableFuture<>();
      Thread waits = new Thread(() -> {
        CancelledException e = assertThrows(CancelledException.class, () -> store.get("never"));
        assertTrue(e.getMessage().contains("interrupted"), e.getMessage());
        came.complete(Thread.currentThread().isInterrupted());
      });
      waits.setUncaughtExceptionHandler((t, e) -> came.completeExceptionally(e));
      waits.start();
      waits.interrupt();
      assertTrue(came.get(10, TimeUnit.MINUTES));
      waits.join();
      store.set("still", "used");
    }
  }

  @Test
  void rendezvous(@TempDir Path folder) throws Exception {
    String url = "file://" + folder + "/meet?world_size=2";
    CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> {
      try (Rendezvous job = Rendezvous.meet(url, 1, -1, LONG)) {
        job.store().set("from 1", "hello");
        return job.rank() + "/" + job.worldSize();
      }
    });
    try (Rendezvous job = Rendezvous.meet(url, 0, -1, LONG)) {
      assertEquals("hello", job.store().getString("from 1", LONG));
      assertEquals(0, job.rank());
      assertEquals("1/2", other.get(10, TimeUnit.MINUTES));
    }
    TimeLimitException alone = assertThrows(TimeLimitException.class, () -> Rendezvous.meet("file://" + folder + "/alone", 0, 2, Duration.ofMillis(10)));
    assertTrue(alone.getMessage().contains("missing rank 1"), alone.getMessage());
  }

  @Test
  void misuse() {
    Store gone = Store.hash();
    gone.close();
    assertThrows(ClosedException.class, () -> gone.set("key", "value"));
    assertThrows(ClosedException.class, () -> gone.get("key"));
    try (Store store = Store.hash()) {
      assertThrows(IllegalArgumentException.class, () -> store.get(null));
      assertThrows(InvalidArgumentException.class, () -> store.set("", "empty key"));
      assertThrows(NullPointerException.class, () -> store.set("key", (byte[]) null));
      assertThrows(NullPointerException.class, () -> store.set("key", (String) null));
      IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> store.has("key", null));
      assertTrue(e.getMessage().contains("keys[1] is null"), e.getMessage());
      assertThrows(IllegalArgumentException.class, () -> store.get("key", Duration.ofSeconds(-1)));
      assertThrows(NullPointerException.class, () -> store.lease("key", new byte[0], null));
    }
    assertThrows(InvalidArgumentException.class, () -> Store.open("carrier-pigeon://coop"));
    assertThrows(InvalidArgumentException.class, () -> Rendezvous.meet("file:///tmp", -1, -1, Duration.ZERO));
    LaunchEnvironment alone = LaunchEnvironment.get();
    assertEquals("none", alone.launcher());
    assertEquals(0, alone.rank());
    assertEquals(1, alone.worldSize());
  }
}
