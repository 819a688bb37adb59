#include "core/parallel/sharded_checkpoint.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <set>

#include "core/base/fork.h"
#include "core/base/thread_state.h"
#include "core/dispatch/host_access.h"
#include "core/dist/sha256.h"
#include "core/dist/wire.h"
#include "core/io/atomic_file.h"
#include "core/io/checkpoint_section.h"
#include "core/io/tensors.h"
#include "core/io/text.h"
#include "core/parallel/calls.h"
#include "core/parallel/or_kill.h"

namespace haft::parallel {

using dist::WireReader;
using dist::WireWriter;

namespace {

constexpr std::string_view kPrefix = "haft-", kSuffix = ".safetensors", kIndexBegun = "checkpoint.json.tmp-";
constexpr size_t kIdBytes = 8;
// Bytes below which what several ranks have is not cut for them.
constexpr int64_t kSmallCut = 1 << 20;
constexpr int64_t kSlowestDisk = 4000000;  // bytes a second: a rank that writes so is waited for

void make_folders(const std::string& path) {
  if (path.empty()) fail(Code::invalid_argument, "the checkpoint's folder has no name", {}, "folder");
  for (size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    const std::string folder = path.substr(0, end);
    if (::mkdir(folder.c_str(), 0777) == 0)
      flush_folder(folder_of(folder));
    else if (errno != EEXIST && (end == path.npos || errno != EACCES))
      fail_errno("create the folder", folder, errno);
  }
  struct stat st;
  if (::stat(path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode))
    fail(Code::io, concat("cannot write a checkpoint into ", quoted(path, 4096), ": it is not a folder"));
}

// Whether it is a file of another save than `id`, or what such a one has left.
bool is_of_other_save(std::string_view name, std::string_view id) {
  if (name.starts_with(kIndexBegun)) return true;  // this one's is in place
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (name.size() < 2 * kIdBytes || !std::ranges::all_of(name.substr(0, 2 * kIdBytes), hex)) return false;
  if (name.substr(0, 2 * kIdBytes) == id) return false;
  name.remove_prefix(2 * kIdBytes);
  if (!name.starts_with('-')) return false;
  name.remove_prefix(1);
  const size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  name.remove_prefix(digits);
  return digits && name.starts_with(kSuffix) &&
         (name.size() == kSuffix.size() || name.substr(kSuffix.size()).starts_with(".tmp-"));
}

void put(WireWriter& w, std::span<const int64_t> sizes) {
  for (int64_t s : sizes) w.number(s);
}
Box::Sizes take_sizes(WireReader& r, uint32_t count) {
  Box::Sizes s;
  for (uint32_t i = 0; i < count; ++i) s.push_back(r.number<int64_t>());
  return s;
}

// What a rank says that it has.
struct Claim {
  Box box;
  int rank;
  uint32_t piece;
  int64_t first;
};
struct Entry {
  int rank = 0;  // who told it first
  DType dtype = DType::none;
  Box::Sizes shape;
  std::vector<Claim> claims;
};
// One box, and who has it.
struct Item {
  const std::string* name;
  const Entry* entry;
  std::span<const Claim> holders;
  int64_t bytes;
};

std::string form_of(const Entry& e) { return concat(dtype_name(e.dtype), " of ", e.shape); }

// Asynchronous saves by their groups: the next one of a group begins when they have ended.
struct UnderWay {
  using Who = std::pair<const dist::Group*, uint32_t>;  // and the fork generation
  struct Save {
    Who who;
    int64_t limit_ns;  // that its ranks wait for each other
    std::string folder;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Save> saves;

  // No longer than those wait for each other themselves: a disk may hold one up for ever.
  void wait_for(const Who& who) {
    std::unique_lock lock(mutex);
    const auto first = [&] { return std::ranges::find(saves, who, &Save::who); };
    if (first() == saves.end()) return;
    const auto until = dist::Deadline::in(first()->limit_ns < 0 ? INT64_MAX : first()->limit_ns);
    while (first() != saves.end()) {
      if (until.passed())
        fail(Code::timeout,
             concat("the save before it, into ", quoted(first()->folder, 4096), ", has not ended within ",
                    until.given_text()),
             "is its file system there?");
      changed.wait_for(lock, std::chrono::nanoseconds(std::min(until.left(), dist::kSecond)));
    }
  }
};
UnderWay& under_way() {
  static UnderWay& u = *new UnderWay;  // threads may outlive the end of main
  return u;
}

}  // namespace

ShardedSave::ShardedSave(Ref<dist::Group> group, std::string folder)
    : group_(std::move(group)), folder_(std::move(folder)) {}

ShardedSave::~ShardedSave() {
  remove_own();
  unlock_folder();
}

// Of rank 0, from the plan to the end. Where the file system has no locks, nobody is refused. A child process that
// came meanwhile has the lock, too, so it is given up in so many words.
void ShardedSave::lock_folder() {
  folder_fd_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd_ >= 0 && ::flock(folder_fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(folder_fd_);
    folder_fd_ = -1;
    fail(Code::busy, concat("another save into ", quoted(folder_, 4096), " is under way"),
         "wait for its end, or save into another folder", "folder");
  }
}

void ShardedSave::unlock_folder() noexcept {
  if (folder_fd_ < 0) return;
  ::flock(folder_fd_, LOCK_UN);
  ::close(folder_fd_);
  folder_fd_ = -1;
}

void ShardedSave::remove_own() noexcept {
  if (!wrote_.empty() && !named_) ::unlink(wrote_.c_str());
  wrote_.clear();
}

std::string ShardedSave::file_of(int rank) const { return concat(kPrefix, id_, "-", rank, kSuffix); }

// ---- agreement ----

std::shared_ptr<const Error> ShardedSave::caught() noexcept {
  try {
    try {
      throw;
    } catch (const Error& e) {
      return std::make_shared<Error>(e);
    }
  } catch (...) {
    return no_memory_;
  }
}

// What each rank says, on all of them.
std::vector<std::string> ShardedSave::exchange(const std::string& mine) {
  if (ranks() == 1) return {mine};
  return or_kill(*group_, "saving a checkpoint", [&] {
    const auto gather = [&](const Tensor& in, const Tensor& out, std::vector<int64_t> parts) {
      dist::Job j;
      j.call.kind = dist::Kind::all_gather;
      j.in = {in};
      j.out = {out};
      j.out_parts = std::move(parts);
      j.timeout_ns = timeout_ns_;
      group_->run(std::move(j));
    };
    const int64_t one = 1, n = ranks(), size = int64_t(mine.size());
    Tensor own = new_tensor(IntList(&one, 1), DType::i64), sizes = new_tensor(IntList(&n, 1), DType::i64);
    *own.data<int64_t>() = size;
    gather(own, sizes, std::vector<int64_t>(size_t(n), 1));
    std::vector<int64_t> parts(sizes.data<int64_t>(), sizes.data<int64_t>() + n);
    int64_t total = 0;
    for (int64_t p : parts) total += p;
    Tensor text = new_tensor(IntList(&size, 1), DType::u8), all = new_tensor(IntList(&total, 1), DType::u8);
    if (size) std::memcpy(text.data<char>(), mine.data(), mine.size());
    gather(text, all, parts);
    std::vector<std::string> out;
    const char* at = all.data<char>();
    for (int64_t p : parts) {
      out.emplace_back(at, size_t(p));
      at += p;
    }
    return out;
  });
}

// What the first of the ranks failed with, on all of them; nullptr: none did.
std::shared_ptr<const Error> ShardedSave::first_failure(const std::shared_ptr<const Error>& mine) {
  if (ranks() == 1) return mine;
  std::string text;
  if (mine)
    text = or_kill(*group_, "saving a checkpoint", [&] {
      WireWriter w;
      return w.number(int32_t(mine->code)).text(mine->message).text(mine->hint).bytes.substr(4);
    });
  std::vector<std::string> all;
  try {
    all = exchange(text);
  } catch (const Error& e) {
    if (!mine) throw;
    throw Error(mine->code, concat(mine->message, "; other ranks could not be told: ", e.message),
                mine->hint);
  }
  for (size_t r = 0; r < all.size(); ++r) {
    if (all[r].empty()) continue;
    WireReader reader(all[r]);
    const auto code = Code(reader.number<int32_t>());
    const std::string message = concat("rank ", int64_t(r), ": ", reader.text());
    return std::make_shared<Error>(code, message, std::string(reader.text()));
  }
  return {};
}

// Fails on all ranks with it.
void ShardedSave::agree(const std::shared_ptr<const Error>& mine) {
  if (const auto e = first_failure(mine)) throw Error(*e);
}

void ShardedSave::give_up() { first_failure(caught()); }

// ---- the plan ----

std::string ShardedSave::told(std::span<const TensorPiece> pieces,
                              const std::map<std::string, CheckpointSection>& sections) {
  make_folders(folder_);
  if (rank() == 0) lock_folder();
  WireWriter w;
  w.text(dist::random_bytes(kIdBytes));
  w.number(uint32_t(sections.size()));
  for (auto& [name, section] : sections) w.text(name).text(encode_section(name, section));
  w.number(uint32_t(pieces.size()));
  std::set<std::pair<std::string_view, Box>> seen;
  for (const TensorPiece& p : pieces) {
    if (!valid_utf8(p.name))
      fail(Code::invalid_argument, concat("the name ", quoted(p.name), " is not UTF-8"), {}, "pieces");
    if (safetensors_type(p.tensor.dtype()).empty())
      fail(Code::dtype,
           concat("tensor ", quoted(p.name), " is of ", dtype_name(p.tensor.dtype()),
                  ", which is not written"),
           "write real and imaginary part as two tensors", "pieces");
    const std::vector<int64_t> shape = shape_of(p);
    const std::vector<Box> boxes = boxes_of(p);
    w.text(p.name).number(uint8_t(p.tensor.dtype())).number(uint32_t(shape.size()));
    put(w, shape);
    w.number(uint32_t(boxes.size()));
    for (const Box& b : boxes) {
      if (!seen.insert({p.name, b}).second)
        fail(Code::invalid_argument,
             concat("the piece of ", quoted(p.name), " at ", b.offsets, " is given twice"), {}, "pieces");
      put(w, b.offsets);
      put(w, b.sizes);
    }
  }
  return w.bytes.substr(4);
}

void ShardedSave::plan(std::span<const TensorPiece> pieces,
                       const std::map<std::string, CheckpointSection>& sections) {
  std::shared_ptr<const Error> trouble;
  std::string mine;
  try {
    mine = told(pieces, sections);
    pieces_.assign(pieces.begin(), pieces.end());
  } catch (...) {
    trouble = caught();
  }
  agree(trouble);
  const std::vector<std::string> all = exchange(mine);
  try {
    make_plan(all);
  } catch (...) {
    trouble = caught();
  }
  agree(trouble);  // pieces that do not fit are no end of the group
}

// Who writes what, from what all ranks have told: each makes the same of it.
struct ShardedSave::Planner {
  ShardedSave& save;
  std::map<std::string, Entry> entries;
  std::vector<Item> alone, shared;  // boxes that one rank has, and that several have
  std::vector<int64_t> load = std::vector<int64_t>(size_t(save.ranks()), 0);  // bytes that each rank writes
  int64_t total = 0;
  std::map<int, int64_t> files;  // of a rank, in the index
  std::map<std::string_view, std::vector<ShardedPiece>> placed;

  void read(int rank, WireReader in);
  void read_pieces(int rank, WireReader& in);
  void sort_out(const std::string& name, Entry& e);
  std::string key_of(const Item& item, const Box& box) const;
  void give(const Item& item, const Claim& to, const Box& box, int64_t first);
  void share_out(const Item& item, int64_t share);
};

void ShardedSave::Planner::read(int rank, WireReader in) {
  const std::string id = dist::to_hex(in.text());
  if (rank == 0) save.id_ = id;
  for (auto n = in.number<uint32_t>(); n; --n) {
    const std::string name(in.text());
    SectionReader section("a rank's section");
    parse_json(in.text(), section, "a rank's section");
    save.index_.sections[name].merge(section.section);  // what is there stays
  }
  read_pieces(rank, in);
}

void ShardedSave::Planner::read_pieces(int rank, WireReader& in) {
  const auto count = in.number<uint32_t>();
  for (uint32_t p = 0; p < count; ++p) {
    const std::string name(in.text());
    Entry now;
    now.rank = rank;
    now.dtype = DType(in.number<uint8_t>());
    const auto dims = in.number<uint32_t>();
    now.shape = take_sizes(in, dims);
    Entry& e = entries.try_emplace(name, now).first->second;
    if (e.dtype != now.dtype || !std::ranges::equal(e.shape, now.shape))
      fail(Code::mismatch,
           concat("tensor ", quoted(name), ": rank ", e.rank, " has pieces of ", form_of(e), ", rank ", rank,
                  " of ", form_of(now)),
           "every piece tells the same whole");
    int64_t first = 0;
    for (auto n = in.number<uint32_t>(); n; --n) {
      Claim c{{}, rank, p, first};
      c.box.offsets = take_sizes(in, dims);
      c.box.sizes = take_sizes(in, dims);
      first += c.box.numel();
      e.claims.push_back(std::move(c));
    }
  }
}

// Which boxes there are of a tensor, and who has each.
void ShardedSave::Planner::sort_out(const std::string& name, Entry& e) {
  std::stable_sort(e.claims.begin(), e.claims.end(),
                   [](const Claim& a, const Claim& b) { return a.box < b.box; });
  std::vector<const Box*> boxes;
  for (size_t i = 0, end; i < e.claims.size(); i = end) {
    for (end = i + 1; end < e.claims.size() && e.claims[end].box == e.claims[i].box;) ++end;
    boxes.push_back(&e.claims[i].box);
    const Item item{&name, &e, std::span(e.claims).subspan(i, end - i),
                    e.claims[i].box.numel() * item_size(e.dtype)};
    total += item.bytes;
    if (end - i == 1) load[size_t(e.claims[i].rank)] += item.bytes;
    (end - i > 1 ? shared : alone).push_back(item);
  }
  const bool empty = std::ranges::any_of(e.shape, [](int64_t s) { return s == 0; });
  if (std::string s = empty ? "" : tiling_trouble(boxes, e.shape); !s.empty())
    fail(Code::mismatch, concat("the pieces of tensor ", quoted(name), " ", s),
         "together the ranks give every element, and no element in two ways");
}

// The name of a part in its file: the tensor's, and where it is not the whole its place.
std::string ShardedSave::Planner::key_of(const Item& item, const Box& box) const {
  std::string key = *item.name;
  if (!std::ranges::equal(box.sizes, item.entry->shape)) {
    key += '@';
    for (int64_t d = 0; d < box.offsets.size(); ++d) key += concat(d ? "," : "", box.offsets[d]);
    while (entries.count(key)) key += '@';
  }
  while (key == "__metadata__" || (key != *item.name && entries.count(key)))
    key += '@';  // a name that the format has for itself
  return key;
}

void ShardedSave::Planner::give(const Item& item, const Claim& to, const Box& box, int64_t first) {
  std::string key = key_of(item, box);
  if (to.rank == save.rank()) save.writes_.push_back({key, to.piece, first, box.sizes});
  if (save.rank()) return;
  std::vector<std::string>& names = save.index_.files;
  const auto at = files.try_emplace(to.rank, int64_t(files.size())).first;
  if (at->second == int64_t(names.size())) names.push_back(save.file_of(to.rank));
  placed[*item.name].push_back({at->second, std::move(key), box});
}

// What several have goes to whoever has least so far, in slices where one would write more than its share.
void ShardedSave::Planner::share_out(const Item& item, int64_t share) {
  const Box& whole = item.holders[0].box;
  int64_t d = 0;
  while (d + 1 < whole.sizes.size() && whole.sizes[d] == 1) ++d;
  const int64_t rows = whole.sizes.empty() ? 1 : whole.sizes[d];
  const int64_t cuts = std::min({rows, int64_t(item.holders.size()), (item.bytes + share - 1) / share});
  const int64_t row = item.bytes / item_size(item.entry->dtype) / rows;
  for (int64_t c = 0; c < cuts; ++c) {
    const Claim& to =
        *std::ranges::min_element(item.holders, {}, [&](const Claim& h) { return load[size_t(h.rank)]; });
    Box box = whole;
    const int64_t from = rows * c / cuts, end = rows * (c + 1) / cuts;
    if (!whole.sizes.empty()) box.offsets[d] += from, box.sizes[d] = end - from;
    load[size_t(to.rank)] += (end - from) * row * item_size(item.entry->dtype);
    give(item, to, box, to.first + from * row);
  }
}

void ShardedSave::make_plan(const std::vector<std::string>& all) {
  Planner p{*this};
  for (int r = 0; r < ranks(); ++r) p.read(r, WireReader(all[size_t(r)]));
  for (auto& [name, e] : p.entries) p.sort_out(name, e);
  for (const Item& item : p.alone) p.give(item, item.holders[0], item.holders[0].box, item.holders[0].first);
  std::ranges::stable_sort(p.shared, std::greater(), &Item::bytes);
  for (const Item& item : p.shared) p.share_out(item, std::max(kSmallCut, p.total / ranks()));
  if (rank() == 0)
    for (auto& [name, e] : p.entries) {
      ShardedTensor t{name, e.dtype, e.shape, std::move(p.placed[name])};
      index_.tensors.push_back(std::move(t));
    }
  if (!group_) return;
  const int64_t given = group_->options().timeout_ns;  // perhaps without an end
  timeout_ns_ =
      given + std::min(*std::ranges::max_element(p.load) / kSlowestDisk * dist::kSecond, INT64_MAX - given);
}

// ---- what a rank does alone ----

void ShardedSave::take(bool copy) noexcept {
  try {
    arrays_.resize(pieces_.size());
    for (const Write& w : writes_) {
      Array& a = arrays_[w.piece];
      const TensorPiece& p = pieces_[w.piece];
      if (a.owner) continue;
      if (copy) {
        a.dtype = p.tensor.dtype();
        a.bytes = p.tensor.bytes();
        a.owner = allocate_block(a.bytes);
        copy_to_host(p.tensor, a.owner->data);
        a.data = a.owner->data;
      } else {
        a = to_array(p.name, p.tensor);
      }
    }
  } catch (...) {
    error_ = caught();
  }
  pieces_.clear();
}

void ShardedSave::write() noexcept {
  if (error_ || writes_.empty()) return;
  try {
    std::vector<ArrayRef> refs;
    for (const Write& w : writes_) {
      const Array& a = arrays_[w.piece];
      ArrayRef& r = refs.emplace_back();
      r.name = w.key;
      r.dtype = a.dtype;
      r.sizes = w.sizes;
      dense_bytes(r.sizes, r.dtype, &r.bytes);
      r.data = static_cast<const char*>(a.data) + w.first * item_size(a.dtype);
    }
    wrote_ = concat(folder_, "/", file_of(rank()));  // also what fails behind the renaming
    write_safetensors(wrote_, refs, {{"format", "haft-sharded-checkpoint"}});
  } catch (...) {
    error_ = caught();
  }
  arrays_.clear();
}

void ShardedSave::finish() {
  struct Unlock {
    ShardedSave& save;
    ~Unlock() { save.unlock_folder(); }
  } unlock{*this};
  // Also where this rank hears of nothing but a lost connection: rank 0 may have heard of all files, and names them.
  named_ = !error_;
  if (const auto e = first_failure(error_)) {
    named_ = false;
    throw Error(*e);
  }
  std::shared_ptr<const Error> trouble;
  if (rank() == 0) try {
      put_index();
    } catch (...) {
      trouble = caught();
    }
  agree(trouble);
  if (rank() == 0) remove_others();
}

void ShardedSave::put_index() {
  for (const std::string& f : index_.files)
    if (::access(concat(folder_, "/", f).c_str(), F_OK) != 0)
      fail(Code::io,
           concat(quoted(f), " was written into ", quoted(folder_, 4096), ", but is not there for rank 0"),
           "all ranks write into one folder of a file system that they share");
  AtomicFile file(concat(folder_, "/", ShardedIndex::kFile));
  file.write(encode_index(index_));
  flush_folder(folder_of(folder_));  // nothing fails behind the commit
  file.commit();
}

void ShardedSave::remove_others() noexcept {
  DIR* d = ::opendir(folder_.c_str());
  if (!d) return;
  while (const dirent* e = ::readdir(d))
    if (is_of_other_save(e->d_name, id_)) ::unlinkat(::dirfd(d), e->d_name, 0);
  ::closedir(d);
}

// ---- all of it ----

void ShardedSave::run() noexcept {
  write();
  std::shared_ptr<const Error> error;
  try {
    finish();
  } catch (...) {
    error = caught();
    remove_own();  // who is told may end the process
  }
  if (group_) group_->close();
  done_(std::move(error));
}

void save_sharded(Ref<dist::Group> group, const std::string& folder, std::span<const TensorPiece> pieces,
                  const std::map<std::string, CheckpointSection>& sections, ShardedSave::Done done) {
  UnderWay& u = under_way();
  const UnderWay::Who who(group.get(), fork_generation());
  try {
    u.wait_for(who);
  } catch (...) {
    tell_failed_save(group);
    throw;
  }
  auto save = make_ref<ShardedSave>(group, folder);
  save->plan(pieces, sections);
  if (!done) {
    save->take(false);
    save->write();
    return save->finish();
  }
  if (save->ranks() > 1) {
    std::vector<int64_t> all;
    for (int r = 0; r < group->size(); ++r) all.push_back(r);
    save->group_ = group->subgroup(all, {});
  } else {
    save->group_.reset();
  }
  save->take(true);
  const auto ended = [&u, who] {
    std::lock_guard lock(u.mutex);
    const auto at = std::ranges::find(u.saves, who, &UnderWay::Save::who);
    if (at != u.saves.end()) u.saves.erase(at);
    u.changed.notify_all();
  };
  Ref<ShardedSave> kept = save;
  try {
    save->done_ = [ended, done = std::move(done)](std::shared_ptr<const Error> e) {
      ended();
      done(std::move(e));
    };
    {
      std::lock_guard lock(u.mutex);
      u.saves.push_back({who, save->timeout_ns_, folder});
    }
    Thread t;
    const auto body = [](void* s) -> void* {
      enter_thread("haft-checkpoint");
      Ref<ShardedSave>::adopt(static_cast<ShardedSave*>(s))->run();
      return nullptr;
    };
    if (const int error = start_quiet_thread(t, body, kept.get()))
      fail(Code::unavailable, concat("no thread to write a checkpoint: ", std::strerror(error)));
    kept.leak();
    detach_thread(t);
  } catch (...) {
    ended();
    if (save->group_) {
      save->group_->kill("no thread to write a checkpoint");
      save->group_->close();
    }
    throw;
  }
}

void tell_failed_save(const Ref<dist::Group>& group) noexcept {
  if (!group || group->size() == 1) return;
  try {
    make_ref<ShardedSave>(group, "")->give_up();
  } catch (...) {  // the group's end tells them
  }
}

}  // namespace haft::parallel
