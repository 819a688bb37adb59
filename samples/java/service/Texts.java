package service;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads {"sentences": ["...", ...]}. */
final class Texts extends JsonReader {
  private Texts(byte[] text) {
    super(text, "{\"sentences\": [\"...\", ...]}");
  }

  static List<String> read(byte[] body, int mostRows) {
    Texts in = new Texts(body);
    List<String> out = new ArrayList<>();
    in.expect('{');
    in.expect("\"sentences\"");
    in.expect(':');
    in.expect('[');
    do {
      if (out.size() == mostRows) throw new Refusal(413, "more than " + mostRows + " sentences");
      out.add(in.string());
    } while (in.more());
    in.expect('}');
    if (in.next() >= 0) throw in.wrong("the end");
    return out;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    expect('"');
    for (int from = at;; at++) {
      if (at == text.length || text[at] >= 0 && text[at] < ' ') throw wrong("the end of a string");
      if (text[at] != '"' && text[at] != '\\') continue;
      try {
        out.append(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text, from, at - from)));
      } catch (CharacterCodingException e) {
        at = from;
        throw wrong("UTF-8");
      }
      if (text[at++] == '"') return out.toString();
      out.append(escaped());
      from = at + 1;
    }
  }

  /** What a backslash is before; at stays on its last letter. */
  private char escaped() {
    int letter = at < text.length ? text[at] : -1;
    if (letter == 'u' && at + 4 < text.length) {
      int code = 0;
      for (int i = 1; i <= 4; i++) code = code << 4 | Character.digit(text[at + i], 16);  // -1 stays negative
      if (code >= 0) {
        at += 4;
        return (char) code;
      }
    }
    int known = "\"\\/bfnrt".indexOf(letter);
    if (letter < 0 || known < 0) throw wrong("an escape");
    return "\"\\/\b\f\n\r\t".charAt(known);
  }
}
