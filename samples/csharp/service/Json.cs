// The little JSON that the service speaks. Its reader takes numbers in rows, so that no such request makes more objects
// than the one array that it asks for, or a list of texts.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

static class Json {
  internal static void Append(StringBuilder to, object value) {
    var text = value as string;
    if (text != null) Quote(to, text);
    else if (value == null) to.Append("null");
    else if (value is bool) to.Append((bool)value ? "true" : "false");
    else if (value is double) to.Append(Number((double)value));
    else if (value is float) to.Append(Number((float)value));
    else to.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
  }
  static string Number(double value) {
    return double.IsNaN(value) || double.IsInfinity(value) ? "null"
                                                           : value.ToString("0.######", CultureInfo.InvariantCulture);
  }
  static void Quote(StringBuilder to, string text) {
    to.Append('"');
    foreach (char c in text) {
      if (c == '"' || c == '\\') to.Append('\\').Append(c);
      else if (c == '\n') to.Append("\\n");
      else if (c < ' ' || char.IsSurrogate(c)) to.Append("\\u").Append(((int)c).ToString("x4"));
      else to.Append(c);
    }
    to.Append('"');
  }
  internal static string Error(string text) {
    var s = new StringBuilder("{\"error\": ");
    Quote(s, text);
    return s.Append('}').ToString();
  }

  // {"inputs": [[width numbers], ...]}: the numbers, row after row.
  internal static float[] Rows(byte[] text, int length, int width, int maxRows, out int rows) {
    var r = new Reader { Text = text, Length = length };
    r.Take('{');
    if (r.Word() != "inputs") throw r.Wrong("wanted {\"inputs\": [[" + width + " numbers], ...]}");
    r.Take(':');
    r.Take('[');
    float[] numbers = new float[width];
    rows = 0;
    do {
      if (rows == maxRows) throw new Refusal(413, "more than " + maxRows + " rows; send them in several requests");
      if (numbers.Length < (rows + 1) * width) Array.Resize(ref numbers, Math.Min(2 * rows, maxRows) * width);
      r.Take('[');
      for (int i = 0; i < width; ++i) {
        if (i > 0) r.Take(',');
        numbers[rows * width + i] = r.Number();
      }
      r.Take(']');
      ++rows;
    } while (r.Takes(','));
    r.Take(']');
    r.Take('}');
    r.End();
    return numbers;
  }

  // {"sentences": ["...", ...]}.
  internal static List<string> Texts(byte[] text, int length, int maxRows) {
    var r = new Reader { Text = text, Length = length };
    r.Take('{');
    if (r.Word() != "sentences") throw r.Wrong("wanted {\"sentences\": [\"...\", ...]}");
    r.Take(':');
    r.Take('[');
    var texts = new List<string>();
    do {
      if (texts.Count == maxRows) throw new Refusal(413, "more than " + maxRows + " rows; send them in several requests");
      texts.Add(r.String());
    } while (r.Takes(','));
    r.Take(']');
    r.Take('}');
    r.End();
    return texts;
  }

  struct Reader {
    static readonly Encoding utf8 = new UTF8Encoding(false, true);
    internal byte[] Text;
    internal int Length;
    int at;

    internal Refusal Wrong(string what) { return new Refusal(400, "at byte " + at + ": " + what); }
    bool Next(out char c) {
      while (at < Length && (Text[at] == ' ' || Text[at] == '\n' || Text[at] == '\r' || Text[at] == '\t')) ++at;
      c = at < Length ? (char)Text[at] : '\0';
      return at < Length;
    }
    internal bool Takes(char wanted) {
      char c;
      if (!Next(out c) || c != wanted) return false;
      ++at;
      return true;
    }
    internal void Take(char wanted) {
      char c;
      if (Takes(wanted)) return;
      throw Wrong(Next(out c) ? "wanted '" + wanted + "', got '" + c + "'"
                              : "wanted '" + wanted + "', and the text ends");
    }
    internal void End() {
      char c;
      if (Next(out c)) throw Wrong("something behind the end");
    }
    internal string Word() {
      Take('"');
      int from = at;
      while (at < Length && Text[at] != '"') ++at;
      string word = Encoding.UTF8.GetString(Text, from, at - from);
      Take('"');
      return word;
    }
    internal string String() {
      Take('"');
      var text = new StringBuilder();
      for (int from = at;; ++at) {
        if (at == Length || Text[at] < ' ') throw Wrong("a string without an end");
        if (Text[at] != '"' && Text[at] != '\\') continue;
        try {
          text.Append(utf8.GetString(Text, from, at - from));
        } catch (ArgumentException) {
          throw Wrong("a string that is no UTF-8 ends");
        }
        if (Text[at++] == '"') return text.ToString();
        text.Append(Escaped());
        from = at + 1;
      }
    }
    // What a backslash is before; at stays on its last letter.
    char Escaped() {
      const string letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      ushort code;
      if (Is('u') && at + 4 < Length &&
          ushort.TryParse(Encoding.ASCII.GetString(Text, at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code)) {
        at += 4;
        return (char)code;
      }
      int known = at < Length ? letters.IndexOf((char)Text[at]) : -1;
      if (known < 0) throw Wrong("no such escape");
      return meant[known];
    }
    bool Is(char wanted) { return at < Length && Text[at] == wanted; }
    internal float Number() {
      char c;
      Next(out c);
      int from = at, exponent = 0;
      bool negative = Takes('-');
      double value = 0;
      int digits = Digits(ref value);
      if (Is('.')) {
        ++at;
        exponent = -Digits(ref value);
        digits -= exponent;
      }
      if (digits > 0 && (Is('e') || Is('E'))) {
        ++at;
        bool down = Is('-');
        if (down || Is('+')) ++at;
        double power = 0;
        digits = Digits(ref power);
        exponent += (int)Math.Min(power, 9999) * (down ? -1 : 1);
      }
      if (digits == 0) {
        at = from;
        throw Wrong("wanted a number");
      }
      var number = (float)(value * Math.Pow(10, exponent) * (negative ? -1 : 1));
      if (float.IsNaN(number) || float.IsInfinity(number)) throw Wrong("a number that float32 does not hold");
      return number;
    }
    int Digits(ref double value) {
      int from = at;
      for (; at < Length && Text[at] >= '0' && Text[at] <= '9'; ++at) value = 10 * value + (Text[at] - '0');
      return at - from;
    }
  }
}
