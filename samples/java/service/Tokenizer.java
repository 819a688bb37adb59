package service;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Texts to the numbers of their words and pieces of words, as BERT's uncased networks read them (Wu et al., arXiv:1609.08144). */
final class Tokenizer {
  private static final int LONGEST = 100;  // letters of a word that is looked up
  private final Map<String, Integer> numbers = new HashMap<>();
  private final int unknown, first, last;
  final int pad;

  /** vocab.txt: a piece a line, its number that of the line; "##" begins what goes on inside a word. */
  Tokenizer(Path file) {
    try {
      for (String line : Files.readAllLines(file))
        if (numbers.put(line, numbers.size()) != null)
          throw new IllegalArgumentException(file + ": line " + (numbers.size() + 1) + " has a piece for the second time");
    } catch (MalformedInputException e) {
      throw new IllegalArgumentException(file + " is no text in UTF-8");
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read");
    }
    pad = special("[PAD]", file);
    unknown = special("[UNK]", file);
    first = special("[CLS]", file);
    last = special("[SEP]", file);
  }

  private int special(String name, Path file) {
    Integer number = numbers.get(name);
    if (number == null) throw new IllegalArgumentException(file + " has no piece " + name);
    return number;
  }

  int size() {
    return numbers.size();
  }

  /** At most `most` numbers, the first and last of them marks. */
  long[] encode(String text, int most) {
    List<Integer> out = new ArrayList<>(List.of(first));
    for (int[] word : words(text)) {
      if (out.size() >= most - 1) break;
      pieces(word, out);
    }
    long[] numbers = Arrays.copyOf(out.stream().mapToLong(n -> n).toArray(), Math.min(out.size(), most - 1) + 1);
    numbers[numbers.length - 1] = last;
    return numbers;
  }

  /** Small letters without accents, apart at spaces; punctuation and ideographs are words of their own. */
  private static List<int[]> words(String text) {
    StringBuilder clean = new StringBuilder();
    text.codePoints().forEach(c -> {
      if (isSpace(c)) clean.append(' ');
      else if (isIdeograph(c)) clean.append(' ').appendCodePoint(c).append(' ');
      else if (!isDropped(c)) clean.appendCodePoint(c);
    });
    List<int[]> words = new ArrayList<>();
    List<Integer> word = new ArrayList<>();
    Runnable end = () -> {
      if (!word.isEmpty()) words.add(word.stream().mapToInt(c -> c).toArray());
      word.clear();
    };
    Normalizer.normalize(clean, Normalizer.Form.NFD).codePoints().filter(c -> Character.getType(c) != Character.NON_SPACING_MARK).forEach(c -> {
      if (c == ' ' || isPunctuation(c)) end.run();
      if (c != ' ') word.add(Character.toLowerCase(c));
      if (isPunctuation(c)) end.run();
    });
    end.run();
    return words;
  }

  /** The longest piece that fits, and again from there; a word that cannot be put together so is unknown. */
  private void pieces(int[] word, List<Integer> out) {
    int before = out.size(), begin = 0;
    while (begin < word.length && word.length <= LONGEST) {
      Integer piece = null;
      int end = word.length;
      for (; end > begin; end--)
        if ((piece = numbers.get((begin > 0 ? "##" : "") + new String(word, begin, end - begin))) != null) break;
      if (piece == null) break;
      out.add(piece);
      begin = end;
    }
    if (begin == word.length) return;
    out.subList(before, out.size()).clear();
    out.add(unknown);
  }

  private static boolean isSpace(int c) {
    return c == '\t' || c == '\n' || c == '\r' || Character.isSpaceChar(c);
  }

  private static boolean isDropped(int c) {
    int type = Character.getType(c);
    return c == 0xFFFD || type == Character.CONTROL || type == Character.FORMAT || type == Character.PRIVATE_USE || type == Character.SURROGATE;
  }

  private static boolean isPunctuation(int c) {
    if (c < 0x80) return c > ' ' && c < 0x7F && !Character.isLetterOrDigit(c);
    return switch (Character.getType(c)) {
      case Character.CONNECTOR_PUNCTUATION, Character.DASH_PUNCTUATION, Character.START_PUNCTUATION, Character.END_PUNCTUATION,
          Character.INITIAL_QUOTE_PUNCTUATION, Character.FINAL_QUOTE_PUNCTUATION, Character.OTHER_PUNCTUATION -> true;
      default -> false;
    };
  }

  /** With the gap that the network was trained with. */
  private static boolean isIdeograph(int c) {
    return c >= 0x4E00 && c <= 0x9FFF || c >= 0x3400 && c <= 0x4DBF || c >= 0x20000 && c <= 0x2CEAF && (c < 0x2B820 || c >= 0x2B920)
        || c >= 0xF900 && c <= 0xFAFF || c >= 0x2F800 && c <= 0x2FA1F;
  }
}
