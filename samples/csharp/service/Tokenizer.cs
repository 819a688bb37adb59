// Texts to the numbers of their words and pieces of words, as BERT's uncased networks read them (Wu et al., arXiv:1609.08144).
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

sealed class Tokenizer {
  const int Longest = 100;  // letters of a word that is looked up
  readonly Dictionary<string, int> numbers = new Dictionary<string, int>(StringComparer.Ordinal);
  readonly int unknown, first, last;
  internal readonly int Pad;
  internal int Count {
    get { return numbers.Count; }
  }

  // vocab.txt: a piece a line, its number that of the line; "##" begins what goes on inside a word.
  internal Tokenizer(string file) {
    try {
      foreach (string line in File.ReadLines(file, new UTF8Encoding(false, true))) {
        if (numbers.ContainsKey(line))
          throw new InvalidDataException(file + ": line " + (numbers.Count + 1) + " has a piece for the second time");
        numbers.Add(line, numbers.Count);
      }
    } catch (ArgumentException) {
      throw new InvalidDataException(file + " is no text in UTF-8");
    }
    Pad = Special("[PAD]", file);
    unknown = Special("[UNK]", file);
    first = Special("[CLS]", file);
    last = Special("[SEP]", file);
  }
  int Special(string name, string file) {
    int number;
    if (!numbers.TryGetValue(name, out number)) throw new InvalidDataException(file + " has no piece " + name);
    return number;
  }

  // At most `most` numbers, the first and last of them marks.
  internal List<long> Encode(string text, int most) {
    var result = new List<long> { first };
    foreach (List<string> word in Words(text)) {
      if (result.Count >= most - 1) break;
      Pieces(word, result);
    }
    if (result.Count > most - 1) result.RemoveRange(most - 1, result.Count - (most - 1));
    result.Add(last);
    return result;
  }

  static IEnumerable<string> Letters(string text) {
    for (int i = 0; i < text.Length; ++i) {
      bool pair = char.IsSurrogatePair(text, i);
      if (pair || !char.IsSurrogate(text[i])) yield return text.Substring(i, pair ? 2 : 1);
      if (pair) ++i;
    }
  }

  // Small letters without accents, apart at spaces; punctuation and ideographs are words of their own.
  static List<List<string>> Words(string text) {
    var clean = new StringBuilder();
    foreach (string c in Letters(text)) {
      if (IsSpace(c)) clean.Append(' ');
      else if (IsIdeograph(char.ConvertToUtf32(c, 0))) clean.Append(' ').Append(c).Append(' ');
      else if (!IsDropped(c)) clean.Append(c);
    }
    var words = new List<List<string>>();
    bool inside = false;
    foreach (string c in Letters(clean.ToString().Normalize(NormalizationForm.FormD))) {
      if (Category(c) == UnicodeCategory.NonSpacingMark) continue;
      bool alone = IsPunctuation(c);
      if (c == " ") {
        inside = false;
        continue;
      }
      if (!inside || alone) words.Add(new List<string>());
      words[words.Count - 1].Add(c.ToLowerInvariant());
      inside = !alone;
    }
    return words;
  }

  // The longest piece that fits, and again from there; a word that cannot be put together so is unknown.
  void Pieces(List<string> word, List<long> result) {
    int before = result.Count, begin = 0;
    while (begin < word.Count && word.Count <= Longest) {
      int end = word.Count, number = -1;
      for (; end > begin; --end)
        if (numbers.TryGetValue((begin > 0 ? "##" : "") + string.Concat(word.GetRange(begin, end - begin)), out number)) break;
      if (end == begin) break;
      result.Add(number);
      begin = end;
    }
    if (begin == word.Count) return;
    result.RemoveRange(before, result.Count - before);
    result.Add(unknown);
  }

  static UnicodeCategory Category(string c) { return CharUnicodeInfo.GetUnicodeCategory(c, 0); }
  static bool IsSpace(string c) {
    UnicodeCategory k = Category(c);
    return c == "\t" || c == "\n" || c == "\r" || k == UnicodeCategory.SpaceSeparator ||
           k == UnicodeCategory.LineSeparator || k == UnicodeCategory.ParagraphSeparator;
  }
  static bool IsDropped(string c) {
    UnicodeCategory k = Category(c);
    return c == "\uFFFD" || k == UnicodeCategory.Control || k == UnicodeCategory.Format || k == UnicodeCategory.PrivateUse;
  }
  static bool IsPunctuation(string c) {
    if (c[0] < 0x80) return c[0] > ' ' && c[0] < 0x7F && !char.IsLetterOrDigit(c[0]);
    switch (Category(c)) {
      case UnicodeCategory.ConnectorPunctuation:
      case UnicodeCategory.DashPunctuation:
      case UnicodeCategory.OpenPunctuation:
      case UnicodeCategory.ClosePunctuation:
      case UnicodeCategory.InitialQuotePunctuation:
      case UnicodeCategory.FinalQuotePunctuation:
      case UnicodeCategory.OtherPunctuation: return true;
      default: return false;
    }
  }
  // With the gap that the network was trained with.
  static bool IsIdeograph(int c) {
    return c >= 0x4E00 && c <= 0x9FFF || c >= 0x3400 && c <= 0x4DBF ||
           c >= 0x20000 && c <= 0x2CEAF && (c < 0x2B820 || c >= 0x2B920) || c >= 0xF900 && c <= 0xFAFF ||
           c >= 0x2F800 && c <= 0x2FA1F;
  }
}
