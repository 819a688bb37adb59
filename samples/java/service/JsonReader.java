package service;

import java.nio.charset.StandardCharsets;

/** Reads a request's JSON from left to right, and no more of it than it needs: the first thing that is wrong ends it. */
class JsonReader {
  final byte[] text;
  private final String form;  // of a request, to be told
  int at;

  JsonReader(byte[] text, String form) {
    this.text = text;
    this.form = form;
  }

  /** The next character behind space; -1 at the end. */
  final int next() {
    while (at < text.length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) at++;
    return at < text.length ? text[at] : -1;
  }

  final void expect(char c) {
    if (next() != c) throw wrong("'" + c + "'");
    at++;
  }

  final void expect(String word) {
    next();
    if (!text(word.length()).equals(word)) throw wrong(word);
    at += word.length();
  }

  /** True at a comma, false at the end of the list. */
  final boolean more() {
    if (next() == ',') {
      at++;
      return true;
    }
    expect(']');
    return false;
  }

  final Refusal wrong(String wanted) {
    String got = at < text.length ? "'" + text(16) + "'" : "the end";
    return new Refusal(400, "wanted " + wanted + " at byte " + at + ", got " + got + "; a request is " + form);
  }

  /** What is next, so many bytes at most. */
  final String text(int most) {
    return new String(text, at, Math.min(most, text.length - at), StandardCharsets.UTF_8);
  }
}
