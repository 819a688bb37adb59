package service;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads {"pictures": [[784 numbers from 0 to 255], ...]}. It looks at no more than it needs: the first thing that is wrong, or
 * one picture too many, ends it.
 */
final class Pictures {
  private static final int DIGITS = 32;  // of a number; a longer one is no pixel
  private final byte[] text;
  private int at;

  private Pictures(byte[] text) {
    this.text = text;
  }

  /** Pixels as the networks want them, picture after picture. */
  static float[] read(byte[] body, int mostRows) {
    Pictures in = new Pictures(body);
    in.expect('{');
    in.expect("\"pictures\"");
    in.expect(':');
    float[] pixels = in.rows(mostRows);
    in.expect('}');
    if (in.next() >= 0) throw in.wrong("the end");
    return pixels;
  }

  private float[] rows(int most) {
    float[] out = new float[Network.PIXELS];
    int rows = 0;
    expect('[');
    do {
      if (rows == most) throw new Refusal(413, "more than " + most + " pictures");
      if (out.length == rows * Network.PIXELS) out = Arrays.copyOf(out, Math.min(2 * rows, most) * Network.PIXELS);
      row(out, rows++);
    } while (more());
    return Arrays.copyOf(out, rows * Network.PIXELS);
  }

  private void row(float[] out, int row) {
    int n = 0;
    expect('[');
    do {
      float v = number();
      if (!(v >= 0 && v <= 255)) throw new Refusal(400, "number " + n + " of picture " + row + " is not from 0 to 255");
      if (n < Network.PIXELS) out[row * Network.PIXELS + n] = (v / 255 - Network.MEAN) / Network.STD;
      n++;
    } while (more());
    if (n != Network.PIXELS) throw new Refusal(400, "picture " + row + " has " + n + " numbers, not " + Network.PIXELS);
  }

  // ---- JSON ----

  /** The next character behind space; -1 at the end. */
  private int next() {
    while (at < text.length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) at++;
    return at < text.length ? text[at] : -1;
  }

  private void expect(char c) {
    if (next() != c) throw wrong("'" + c + "'");
    at++;
  }

  private void expect(String word) {
    next();
    if (!text(word.length()).equals(word)) throw wrong(word);
    at += word.length();
  }

  /** True at a comma, false at the end of the list. */
  private boolean more() {
    if (next() == ',') {
      at++;
      return true;
    }
    expect(']');
    return false;
  }

  private float number() {
    next();
    int from = at, whole = 0;
    boolean isWhole = true;
    while (at < text.length && at - from < DIGITS && "+-.eE0123456789".indexOf(text[at]) >= 0) {
      isWhole &= text[at] >= '0' && text[at] <= '9' && at - from < 8;
      whole = 10 * whole + text[at++] - '0';
    }
    if (isWhole && at > from) return whole;  // most are
    try {
      return Float.parseFloat(new String(text, from, at - from, StandardCharsets.US_ASCII));
    } catch (NumberFormatException e) {
      at = from;
      throw wrong("a number");
    }
  }

  private Refusal wrong(String wanted) {
    String got = at < text.length ? "'" + text(16) + "'" : "the end";
    String form = "{\"pictures\": [[784 numbers], ...]}";
    return new Refusal(400, "wanted " + wanted + " at byte " + at + ", got " + got + "; a request is " + form);
  }

  /** What is next, so many bytes at most. */
  private String text(int most) {
    return new String(text, at, Math.min(most, text.length - at), StandardCharsets.UTF_8);
  }
}
