#include "core/io/pickle.h"

#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

namespace {

using Kind = PickleValue::Kind;

// A machine with a stack, marks on it and a memo: https://docs.python.org/3/library/pickletools.html describes it.
class Machine {
 public:
  Machine(std::span<const uint8_t> bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  Pickle run() {
    while (step()) {
    }
    out_.root = pop();
    out_.bytes = at_;
    return std::move(out_);
  }

 private:
  [[noreturn]] void bad(const std::string& what) const {
    fail(Code::corrupt, concat(where_, ": the pickle ", what, " at byte ", at_));
  }

  std::string_view take(uint64_t n) {
    if (n > bytes_.size() - size_t(at_)) bad("is cut off");
    std::string_view s(reinterpret_cast<const char*>(bytes_.data()) + at_, size_t(n));
    at_ += int64_t(n);
    return s;
  }
  template <class T>
  T number() {
    T v;
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
    return v;
  }
  std::string_view line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                                bytes_.size() - size_t(at_));
    const size_t end = rest.find('\n');
    if (end == rest.npos) bad("is cut off");
    at_ += int64_t(end) + 1;
    return rest.substr(0, end);
  }

  PickleValue& value(int32_t i) { return out_.values[size_t(i)]; }
  void push(int32_t i) { stack_.push_back(i); }
  PickleValue& make(Kind kind) {
    if (out_.values.size() >= size_t(std::numeric_limits<int32_t>::max())) bad("has more than 2^31 values");
    push(int32_t(out_.values.size()));
    PickleValue& v = out_.values.emplace_back();
    v.kind = kind;
    return v;
  }
  void integer(int64_t n) { make(Kind::integer).number = n; }
  void text(std::string_view s) { make(Kind::text).text = s; }
  // Marks are where the stack was; nothing below the last one is taken.
  int32_t pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) bad("takes more than there is");
    const int32_t i = stack_.back();
    stack_.pop_back();
    return i;
  }
  int32_t top() {
    const int32_t i = pop();
    push(i);
    return i;
  }
  std::vector<int32_t> pop_to_mark() {
    if (marks_.empty()) bad("takes a mark that is not there");
    std::vector<int32_t> items(stack_.begin() + int64_t(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  void sequence(size_t count) {
    std::vector<int32_t> items(count);
    for (size_t i = count; i > 0; --i) items[i - 1] = pop();
    make(Kind::sequence).items = std::move(items);
  }
  void keep(int64_t at) { memo_[at] = top(); }
  void recall(int64_t at) {
    auto it = memo_.find(at);
    if (it == memo_.end()) bad(concat("names value ", at, ", which is not there"));
    push(it->second);
  }

  void append(int32_t to, std::span<const int32_t> items) {
    PickleValue& v = value(to);
    if (v.kind == Kind::sequence)
      v.items.insert(v.items.end(), items.begin(), items.end());
    else if (v.kind != Kind::call)  // a list of a class of its own keeps what it holds to itself
      bad("appends to what is no list");
  }
  void set_items(int32_t to, std::span<const int32_t> items) {
    PickleValue& v = value(to);
    if (items.size() % 2 || (v.kind != Kind::dict && v.kind != Kind::call))
      bad("sets items of what is no dict");
    v.items.insert(v.items.end(), items.begin(), items.end());
  }

  static bool is_dict(const PickleValue& g) {
    return g.module == "collections"
               ? g.text == "OrderedDict" || g.text == "defaultdict" || g.text == "Counter"
               : (g.module == "builtins" || g.module == "__builtin__") && g.text == "dict";
  }
  static bool is_set(const PickleValue& g) {
    return (g.module == "builtins" || g.module == "__builtin__") &&
           (g.text == "set" || g.text == "frozenset");
  }
  // OrderedDict([[key, value], ...]), as Python 2 wrote it; other arguments say nothing about what it holds.
  std::vector<int32_t> pairs_of(int32_t arguments) {
    std::vector<int32_t> items;
    const PickleValue& all = value(arguments);
    if (all.items.size() != 1 || value(all.items[0]).kind != Kind::sequence) return items;
    for (int32_t pair : value(all.items[0]).items)
      if (const PickleValue& p = value(pair); p.kind == Kind::sequence && p.items.size() == 2)
        items.insert(items.end(), p.items.begin(), p.items.end());
    return items;
  }
  void call() {
    const int32_t arguments = pop(), callee = pop();
    if (value(arguments).kind != Kind::sequence) bad("calls with what is no tuple");
    const PickleValue& c = value(callee);
    if (c.kind == Kind::global && is_dict(c)) {
      auto items = pairs_of(arguments);
      make(Kind::dict).items = std::move(items);
    } else if (value(arguments).items.size() == 1 &&
               (c.is_global("torch", "Size") || (c.kind == Kind::global && is_set(c)))) {
      push(value(arguments).items[0]);
    } else {
      make(Kind::call).items = {callee, arguments};
    }
  }
  void long_integer(uint64_t n) {
    const std::string_view s = take(n);
    if (n > 8) {
      make(Kind::other);
      return;
    }
    uint64_t v = n && s.back() & 0x80 ? ~uint64_t(0) : 0;
    std::memcpy(&v, s.data(), s.size());
    integer(int64_t(v));
  }

  bool step() {
    switch (const char op = take(1)[0]) {
      case '\x80':
        if (const int version = number<uint8_t>(); version > 5)
          fail(Code::unsupported, concat(where_, ": the pickle is of protocol ", version, "; wanted 2 to 5"));
        return true;
      case '\x95': number<uint64_t>(); return true;  // a frame
      case '.': return false;
      case '(': marks_.push_back(stack_.size()); return true;
      case '0': pop(); return true;
      case '1': pop_to_mark(); return true;
      case '2': push(top()); return true;
      case 'N': make(Kind::none); return true;
      case '\x88':
      case '\x89': make(Kind::boolean).number = op == '\x88'; return true;
      case 'J': integer(number<int32_t>()); return true;
      case 'K': integer(number<uint8_t>()); return true;
      case 'M': integer(number<uint16_t>()); return true;
      case '\x8a': long_integer(number<uint8_t>()); return true;
      case '\x8b': long_integer(number<uint32_t>()); return true;
      case 'G': {
        const uint64_t bits = __builtin_bswap64(number<uint64_t>());
        std::memcpy(&make(Kind::real).real, &bits, sizeof bits);
        return true;
      }
      case 'X':
      case 'T':
      case 'B': text(take(number<uint32_t>())); return true;
      case 'U':
      case 'C':
      case '\x8c': text(take(number<uint8_t>())); return true;
      case '\x8d':
      case '\x8e':
      case '\x96': text(take(number<uint64_t>())); return true;
      case ']':
      case ')':
      case '\x8f': make(Kind::sequence); return true;
      case '}': make(Kind::dict); return true;
      case '\x85':
      case '\x86':
      case '\x87': sequence(size_t(op) - size_t('\x85') + 1); return true;
      case 't':
      case 'l':
      case '\x91': {
        auto items = pop_to_mark();
        make(Kind::sequence).items = std::move(items);
        return true;
      }
      case 'd': {
        auto items = pop_to_mark();
        const int32_t dict = (make(Kind::dict), top());
        set_items(dict, items);
        return true;
      }
      case 'a': {
        const int32_t item[] = {pop()};
        append(top(), item);
        return true;
      }
      case 'e':
      case '\x90': {
        auto items = pop_to_mark();
        append(top(), items);
        return true;
      }
      case 's': {
        const int32_t v = pop(), k = pop(), items[] = {k, v};
        set_items(top(), items);
        return true;
      }
      case 'u': {
        auto items = pop_to_mark();
        set_items(top(), items);
        return true;
      }
      case 'c': {
        const std::string_view module = line(), name = line();
        PickleValue& v = make(Kind::global);
        v.module = module, v.text = name;
        return true;
      }
      case '\x93': {
        const int32_t name = pop(), module = pop();
        if (value(name).kind != Kind::text || value(module).kind != Kind::text)
          bad("names a global by what is no text");
        PickleValue v;
        v.kind = Kind::global, v.module = value(module).text, v.text = value(name).text;
        make(Kind::global) = v;
        return true;
      }
      case 'R':
      case '\x81': call(); return true;
      case '\x92': pop(), call(); return true;  // named arguments are not looked at
      case 'b': {
        const int32_t state = pop();
        value(top()).state = state;
        return true;
      }
      case 'q': keep(number<uint8_t>()); return true;
      case 'r': keep(number<uint32_t>()); return true;
      case '\x94': keep(int64_t(memo_.size())); return true;
      case 'h': recall(number<uint8_t>()); return true;
      case 'j': recall(number<uint32_t>()); return true;
      case 'Q': {
        const int32_t id = pop();
        make(Kind::stored).items = {id};
        return true;
      }
      case '\x97': make(Kind::other); return true;
      case '\x98': return true;
      case 'F':
      case 'I':
      case 'L':
      case 'S':
      case 'V':
      case 'P':
      case 'g':
      case 'p':
      case 'i':
      case 'o':
        fail(Code::unsupported,
             concat(where_, ": the pickle has the instruction ", quoted({&op, 1}), " of protocols 0 and 1"),
             "save it with protocol 2, PyTorch's default");
      default: bad(concat("has the unknown instruction ", int(uint8_t(op))));
    }
  }

  std::span<const uint8_t> bytes_;
  std::string_view where_;
  int64_t at_ = 0;
  Pickle out_;
  std::vector<int32_t> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<int64_t, int32_t> memo_;
};

}  // namespace

Pickle parse_pickle(std::span<const uint8_t> bytes, std::string_view where) {
  return Machine(bytes, where).run();
}

}  // namespace haft
