package service;

import java.util.Collection;

/** Writes JSON. */
final class Json {
  private Json() {}

  /** {"name": value, ...} of names and values by turns. */
  static String object(Object... fields) {
    StringBuilder out = new StringBuilder("{");
    members(out, fields);
    return out.append('}').toString();
  }

  /** The same without the braces, behind what is there already. */
  static void members(StringBuilder out, Object... fields) {
    for (int i = 0; i < fields.length; i += 2) {
      if (out.length() > 1) out.append(", ");
      write(out, fields[i].toString());
      write(out.append(": "), fields[i + 1]);
    }
  }

  /** JSON that stands as it is. */
  record Text(String json) {}

  private static void write(StringBuilder out, Object value) {
    if (value == null || value instanceof Double d && !Double.isFinite(d)) {
      out.append("null");
    } else if (value instanceof Text text) {
      out.append(text.json);
    } else if (value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Collection<?> list) {
      String comma = "[";
      for (Object each : list) {
        write(out.append(comma), each);
        comma = ", ";
      }
      out.append(comma.equals("[") ? "[]" : "]");
    } else {
      string(out, value.toString());
    }
  }

  private static void string(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || Character.isSurrogate(c)) out.append(String.format("\\u%04x", (int) c));
          else out.append(c);
        }
      }
    }
    out.append('"');
  }
}
