#include "core/io/pytorch_tensors.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

namespace {

using Kind = PickleValue::Kind;

constexpr int kMostDepth = 64, kMostDims = 32;
constexpr int64_t kMostVisits =
    1 << 20;  // a pickle may name one list in many places, each of which is walked

struct StorageType {
  std::string_view name;
  DType dtype;
};
constexpr StorageType kStorageTypes[] = {
    {"FloatStorage", DType::f32},
    {"DoubleStorage", DType::f64},
    {"HalfStorage", DType::f16},
    {"BFloat16Storage", DType::bf16},
    {"LongStorage", DType::i64},
    {"IntStorage", DType::i32},
    {"ShortStorage", DType::i16},
    {"CharStorage", DType::i8},
    {"ByteStorage", DType::u8},
    {"ComplexFloatStorage", DType::c64},
    {"ComplexDoubleStorage", DType::c128},
    {"BoolStorage", DType::boolean},
    {"UntypedStorage", DType::u8},
};

DType dtype_called(std::string_view name) {
  for (int t = 1; t < kDTypeCount; ++t)
    if (is_valid(t) && name == dtype_name(DType(t))) return DType(t);
  return DType::none;
}

class Finder {
 public:
  Finder(const Pickle& pickle, std::string_view where) : p_(pickle), where_(where) {}

  StoredTensors run() {
    for (const PickleValue& v : p_.values)
      if (v.kind == Kind::stored) note_storage(v);
    const PickleValue& root = p_[p_.root];
    if (root.kind != Kind::dict && root.kind != Kind::sequence && !walkable(root))
      fail(Code::unsupported,
           concat(where_, ": holds ",
                  root.kind == Kind::call ? concat("an object of ", called(root)) : "a plain value",
                  "; wanted a dict of tensors"),
           "save model.state_dict()");
    walk(p_.root, {}, 0);
    return std::move(out_);
  }

 private:
  [[noreturn]] void bad(std::string_view who, const std::string& what) const {
    fail(Code::corrupt, concat(where_, ": tensor ", quoted(who), " ", what));
  }

  const PickleValue& callee(const PickleValue& call) const {
    const PickleValue* c = &p_[call.items[0]];
    // Older files name a module's class by a persistent id, with its source.
    if (c->kind == Kind::stored)
      if (const PickleValue& id = p_[c->items[0]]; id.kind == Kind::sequence && id.items.size() > 1)
        c = &p_[id.items[1]];
    return *c;
  }
  std::string called(const PickleValue& call) const {
    const PickleValue& c = callee(call);
    return c.kind == Kind::global ? quoted(concat(c.module, ".", c.text)) : "something without a name";
  }
  const PickleValue* entry(const PickleValue& dict, std::string_view key) const {
    const PickleValue* found = nullptr;
    for (size_t i = 0; i + 1 < dict.items.size(); i += 2)
      if (const PickleValue& k = p_[dict.items[i]]; k.kind == Kind::text && k.text == key)
        found = &p_[dict.items[i + 1]];
    return found;
  }
  // The dict of an nn.Module's attributes, or nullptr.
  const PickleValue* module_state(const PickleValue& v) const {
    if (v.kind != Kind::call || v.state < 0 || p_[v.state].kind != Kind::dict) return nullptr;
    const PickleValue& state = p_[v.state];
    for (std::string_view part : {"_parameters", "_buffers", "_modules"})
      if (const PickleValue* e = entry(state, part); !e || e->kind != Kind::dict) return nullptr;
    return &state;
  }
  static bool rebuilds(const PickleValue& c) {
    return c.kind == Kind::global && (c.module == "torch._utils" || c.module == "torch._tensor") &&
           c.text.starts_with("_rebuild");
  }
  bool walkable(const PickleValue& v) const {
    return v.kind == Kind::call && (rebuilds(callee(v)) || module_state(v));
  }

  void walk(int32_t at, const std::string& name, int depth) {
    if (depth > kMostDepth || ++visits_ > kMostVisits)
      fail(Code::unsupported, concat(where_, ": ", quoted(name),
                                     depth > kMostDepth ? " lies in more than " : " is behind more than ",
                                     depth > kMostDepth ? int64_t(kMostDepth) : kMostVisits,
                                     depth > kMostDepth ? " containers" : " values"));
    const PickleValue& v = p_[at];
    auto go = [&](std::string_view key, int32_t to) {
      const Kind kind = p_[to].kind;
      if (kind != Kind::dict && kind != Kind::sequence && kind != Kind::call) return;
      if (!valid_utf8(key))
        fail(Code::corrupt,
             concat(where_, ": the name ", quoted(key), " in ", quoted(name), " is not UTF-8"));
      walk(to, name.empty() ? std::string(key) : concat(name, ".", key), depth + 1);
    };
    auto go_pairs = [&](const PickleValue& dict, size_t first, const PickleValue* but = nullptr) {
      for (size_t i = first; i + 1 < dict.items.size(); i += 2) {
        const PickleValue& k = p_[dict.items[i]];
        if (k.kind == Kind::text && !(but && holds(*but, k.text)))
          go(k.text, dict.items[i + 1]);
        else if (k.kind == Kind::integer)
          go(concat(k.number), dict.items[i + 1]);
      }
    };
    if (v.kind == Kind::dict) {
      go_pairs(v, 0);
    } else if (v.kind == Kind::sequence) {
      for (size_t i = 0; i < v.items.size(); ++i) go(concat(int64_t(i)), v.items[i]);
    } else if (v.kind == Kind::call && rebuilds(callee(v))) {
      add(v, name.empty() ? "tensor" : name);
    } else if (const PickleValue* state = module_state(v)) {
      const PickleValue* left_out = entry(*state, "_non_persistent_buffers_set");
      go_pairs(*entry(*state, "_parameters"), 0);
      go_pairs(*entry(*state, "_buffers"), 0, left_out);
      go_pairs(*entry(*state, "_modules"), 0);
    } else if (v.kind == Kind::call) {
      go_pairs(v, 2);  // a dict of a class of its own
    }
  }
  bool holds(const PickleValue& set, std::string_view text) const {
    return set.kind == Kind::sequence && std::any_of(set.items.begin(), set.items.end(), [&](int32_t i) {
             return p_[i].kind == Kind::text && p_[i].text == text;
           });
  }

  // ("storage", type, key, device, elements[, (key, offset, elements) of a part]).
  const PickleValue& storage_id(const PickleValue& v, std::string_view who) const {
    const PickleValue& id = p_[v.items[0]];
    if (id.kind != Kind::sequence || id.items.size() < 5 || p_[id.items[0]].text != "storage" ||
        p_[id.items[1]].kind != Kind::global || p_[id.items[2]].kind != Kind::text ||
        p_[id.items[4]].kind != Kind::integer || p_[id.items[4]].number < 0)
      bad(who, "has memory of an unknown kind");
    return id;
  }
  void note_storage(const PickleValue& v) {
    if (const PickleValue& id = p_[v.items[0]];
        id.kind == Kind::sequence && !id.items.empty() && p_[id.items[0]].text == "module")
      return;
    const PickleValue& id = storage_id(v, "?");
    StoredMemory m;
    m.type = p_[id.items[1]].text;
    for (const StorageType& t : kStorageTypes)
      if (t.name == m.type) m.dtype = t.dtype;
    m.numel = p_[id.items[4]].number;
    out_.storages.emplace(p_[id.items[2]].text, std::move(m));
  }

  int64_t whole(int32_t at, std::string_view who) const {
    const PickleValue& v = p_[at];
    if (v.kind != Kind::integer || v.number < 0) bad(who, "has an impossible size, stride or offset");
    return v.number;
  }
  ArrayRef::Sizes wholes(int32_t at, std::string_view who) const {
    ArrayRef::Sizes out;
    if (p_[at].kind != Kind::sequence || p_[at].items.size() > size_t(kMostDims))
      bad(who, concat("has no list of at most ", kMostDims, " sizes and strides"));
    for (int32_t i : p_[at].items) out.push_back(whole(i, who));
    return out;
  }

  void add(const PickleValue& call, const std::string& name) {
    const PickleValue* c = &callee(call);
    const PickleValue* a = &p_[call.items[1]];
    // A parameter is made of a tensor, a tensor of a class of its own by the call that makes a plain one.
    for (int depth = 0; c->kind == Kind::global; ++depth) {
      const bool parameter = c->text.starts_with("_rebuild_parameter"),
                 typed = c->text == "_rebuild_from_type_v2";
      if (depth > 4 || a->kind != Kind::sequence) bad(name, "is made of too many others");
      if (parameter && !a->items.empty() && p_[a->items[0]].kind == Kind::call) {
        const PickleValue& inner = p_[a->items[0]];
        c = &callee(inner);
        a = &p_[inner.items[1]];
      } else if (typed && a->items.size() > 2 && p_[a->items[0]].kind == Kind::global) {
        c = &p_[a->items[0]];
        a = &p_[a->items[2]];
      } else {
        break;
      }
    }
    const bool typed = c->text == "_rebuild_tensor_v3";
    if (c->module != "torch._utils" ||
        (c->text != "_rebuild_tensor" && c->text != "_rebuild_tensor_v2" && !typed))
      fail(Code::unsupported,
           concat(where_, ": tensor ", quoted(name), " is made by ", quoted(concat(c->module, ".", c->text)),
                  "; wanted a dense one"),
           "save tensors that are neither sparse nor quantised");
    if (a->kind != Kind::sequence || a->items.size() < (typed ? 7u : 4u) ||
        p_[a->items[0]].kind != Kind::stored)
      bad(name, "is made of too few arguments");
    const PickleValue& id = storage_id(p_[a->items[0]], name);

    StoredTensor t;
    t.name = name;
    t.storage = p_[id.items[2]].text;
    t.offset = whole(a->items[1], name);
    t.sizes = wholes(a->items[2], name);
    t.strides = wholes(a->items[3], name);
    t.dtype = out_.storages[t.storage].dtype;
    t.type = p_[id.items[1]].text;
    if (typed) {
      const PickleValue& dtype = p_[a->items[6]];
      if (dtype.kind != Kind::global || dtype.module != "torch") bad(name, "has no dtype");
      t.type = dtype.text;
      t.dtype = dtype_called(t.type);
    }
    if (id.items.size() > 5)  // a part of the memory, in the files before zip
      if (const PickleValue& part = p_[id.items[5]]; part.kind == Kind::sequence && part.items.size() == 3)
        if (__builtin_add_overflow(t.offset, whole(part.items[1], name), &t.offset))
          bad(name, "has an impossible offset");
    if (t.sizes.size() != t.strides.size())
      bad(name, concat("has ", t.sizes.size(), " sizes and ", t.strides.size(), " strides"));
    if (!names_.insert(name).second) bad(name, "is there twice");
    out_.tensors.push_back(std::move(t));
  }

  const Pickle& p_;
  std::string_view where_;
  int64_t visits_ = 0;
  StoredTensors out_;
  std::set<std::string> names_;
};

}  // namespace

StoredTensors find_tensors(const Pickle& pickle, std::string_view where) {
  return Finder(pickle, where).run();
}

}  // namespace haft
