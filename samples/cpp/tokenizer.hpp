// Texts to the numbers of their words and pieces of words, as BERT's uncased networks read them (Wu et al.,
// arXiv:1609.08144).
#ifndef SAMPLES_TOKENIZER_HPP
#define SAMPLES_TOKENIZER_HPP

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "unicode.hpp"

class Tokenizer {
 public:
  // vocab.txt: a piece a line, its number that of the line; "##" begins what goes on inside a word.
  explicit Tokenizer(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error(file + " cannot be read");
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!numbers_.emplace(letters_of(line), std::int64_t(numbers_.size())).second)
        throw std::runtime_error(file + ": line " + std::to_string(numbers_.size() + 1) +
                                 " has a piece for the second time");
    }
    pad = special("[PAD]", file), unknown_ = special("[UNK]", file), first_ = special("[CLS]", file),
    last_ = special("[SEP]", file);
    for (const char32_t c : letters_of(unicode::kFolds)) fold_in(c);
  }

  std::int64_t pad;
  std::size_t size() const { return numbers_.size(); }

  // At most `most` numbers, the first and last of them marks.
  std::vector<std::int64_t> operator()(const std::string& text, std::size_t most) const {
    std::vector<std::int64_t> out = {first_};
    for (const std::u32string& word : words_of(letters_of(text))) pieces_of(word, out);
    out.resize(std::min(out.size(), most - 1));
    out.push_back(last_);
    return out;
  }

 private:
  static constexpr char32_t kNone = 0xFFFD;  // for bytes that are no UTF-8
  std::unordered_map<std::u32string, std::int64_t> numbers_;
  std::unordered_map<char32_t, std::u32string> folds_;
  std::u32string group_;  // what fold_in has read of a group
  std::int64_t unknown_, first_, last_;

  std::int64_t special(const char* name, const std::string& file) const {
    const auto at = numbers_.find(letters_of(name));
    if (at == numbers_.end()) throw std::runtime_error(file + " has no piece " + name);
    return at->second;
  }

  // "e=éÈ ": what é and È become.
  void fold_in(char32_t c) {
    if (c != ' ') {
      group_ += c;
      return;
    }
    const std::size_t equals = group_.find(U'=', 1);
    for (std::size_t i = equals + 1; i < group_.size(); ++i) folds_[group_[i]] = group_.substr(0, equals);
    group_.clear();
  }

  static std::u32string letters_of(const std::string& s) {
    std::u32string out;
    for (std::size_t i = 0; i < s.size();) {
      const unsigned char c = (unsigned char)s[i];
      const int more = c < 0x80                ? 0
                       : c >= 0xC2 && c < 0xE0 ? 1
                       : c >= 0xE0 && c < 0xF0 ? 2
                       : c >= 0xF0 && c < 0xF5 ? 3
                                               : -1;
      char32_t letter = more <= 0 ? c : c & (0x3F >> more);
      int have = 0;
      while (have < more && i + 1 + std::size_t(have) < s.size() &&
             (s[i + 1 + std::size_t(have)] & 0xC0) == 0x80)
        letter = letter << 6 | (char32_t(s[i + 1 + std::size_t(have++)]) & 0x3F);
      const bool good = have == more &&
                        !(more == 2 && (letter < 0x800 || (letter >= 0xD800 && letter < 0xE000))) &&
                        !(more == 3 && (letter < 0x10000 || letter > 0x10FFFF));
      out += good ? letter : kNone;
      i += 1 + std::size_t(have);
    }
    return out;
  }

  template <std::size_t N>
  static bool is_in(const unicode::Range (&ranges)[N], char32_t c) {
    const unicode::Range* at = std::upper_bound(
        ranges, ranges + N, c, [](char32_t x, const unicode::Range& r) { return x < r.first; });
    return at != ranges && c <= at[-1].last;
  }
  static bool is_space(char32_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || is_in(unicode::kSpaces, c);
  }
  static bool is_dropped(char32_t c) {
    return c == kNone || (c < 0x80 ? c < ' ' || c == 0x7F : is_in(unicode::kControls, c));
  }
  static bool is_punctuation(char32_t c) {
    if (c >= 0x80) return is_in(unicode::kPunctuation, c);
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
  }
  // Words of their own; with the gap that the network was trained with.
  static bool is_ideograph(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2CEAF && (c < 0x2B820 || c >= 0x2B920)) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x2F800 && c <= 0x2FA1F);
  }

  // Small letters without accents, apart at spaces; punctuation and ideographs are words of their own.
  std::vector<std::u32string> words_of(const std::u32string& text) const {
    std::vector<std::u32string> words;
    bool inside = false;
    const auto put = [&](char32_t c) {
      if (is_in(unicode::kMarks, c)) return;
      const bool alone = is_punctuation(c);
      if (!inside || alone) words.emplace_back();
      words.back() += c;
      inside = !alone;
    };
    for (const char32_t c : text) {
      if (is_space(c)) {
        inside = false;
      } else if (!is_dropped(c)) {
        const bool alone = is_ideograph(c);
        if (alone) inside = false;
        if (c < 0x80) {
          put(c >= 'A' && c <= 'Z' ? c + 32 : c);
        } else if (c >= 0xAC00 && c <= 0xD7A3) {  // a syllable of Hangul is its two or three letters
          const char32_t n = c - 0xAC00;
          put(0x1100 + n / 588), put(0x1161 + n % 588 / 28);
          if (n % 28) put(0x11A7 + n % 28);
        } else {
          const auto fold = folds_.find(c);
          if (fold == folds_.end())
            put(c);
          else
            for (const char32_t part : fold->second) put(part);
        }
        if (alone) inside = false;
      }
    }
    return words;
  }

  // The longest piece that fits, and again from there; a word that cannot be put together so is unknown.
  void pieces_of(const std::u32string& word, std::vector<std::int64_t>& out) const {
    const std::size_t before = out.size();
    for (std::size_t begin = 0, end; begin < word.size(); begin = end) {
      auto piece = numbers_.end();
      for (end = word.size() > 100 ? begin : word.size(); end > begin; --end)
        if ((piece = numbers_.find((begin ? U"##" : U"") + word.substr(begin, end - begin))) !=
            numbers_.end())
          break;
      if (end == begin) {
        out.resize(before);
        out.push_back(unknown_);
        return;
      }
      out.push_back(piece->second);
    }
  }
};

#endif
