package service;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads {"pictures": [[784 numbers from 0 to 255], ...]}. It looks at no more than it needs: the first thing that is wrong, or
 * one picture too many, ends it.
 */
final class Pictures extends JsonReader {
  private static final int DIGITS = 32;  // of a number; a longer one is no pixel

  private Pictures(byte[] text) {
    super(text, "{\"pictures\": [[784 numbers], ...]}");
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
}
