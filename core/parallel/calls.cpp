#include "core/parallel/calls.h"

#include <cstring>

#include "core/dist/sha256.h"

namespace haft::parallel {

using dist::Group;
using dist::Job;
using dist::Kind;

Job all_reduce_job(const Tensor& t, dist::ReduceOp op) {
  Job j;
  j.call.kind = Kind::all_reduce;
  j.call.reduce = op;
  j.in = j.out = {t};
  return j;
}

Job broadcast_job(const Tensor& t, int root) {
  Job j;
  j.call.kind = Kind::broadcast;
  j.call.root = root;
  j.out = {t};
  return j;
}

Job all_gather_job(const Tensor& mine, const Tensor& all) {
  Job j;
  j.call.kind = Kind::all_gather;
  j.in = {mine};
  j.out = {all};
  j.out_parts.assign(size_t(all.numel() / std::max<int64_t>(1, mine.numel())), mine.numel());
  return j;
}

void finish_work(Ref<dist::Work>& w) {
  Ref<dist::Work> mine = std::move(w);
  mine->wait(dist::Deadline::never());
  mine->check();
}

namespace {

Tensor bytes_of(std::string_view text) {
  const int64_t size = int64_t(text.size());
  Tensor t = new_tensor(IntList(&size, 1), DType::u8);
  if (size) std::memcpy(t.data<char>(), text.data(), text.size());
  return t;
}

// The text of one rank on all.
std::string text_of(Group& g, int rank, int64_t size, const std::string& mine) {
  Tensor t = bytes_of(g.rank() == rank ? mine : std::string(size_t(size), '\0'));
  g.run(broadcast_job(t, rank));
  return std::string(t.data<char>(), size_t(size));
}

std::string_view next_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return line;
}

std::string quoted(std::string_view line) { return line.empty() ? "nothing" : concat("\"", line, "\""); }

}  // namespace

void verify_same(Group& g, std::string_view what, const std::string& lines) {
  if (g.size() == 1) return;
  constexpr int64_t kRow = 40;  // a hash and the size
  std::string mine = dist::sha256(lines);
  const int64_t size = int64_t(lines.size());
  mine.append(reinterpret_cast<const char*>(&size), sizeof size);
  Tensor all = bytes_of(std::string(size_t(kRow * g.size()), '\0'));
  g.run(all_gather_job(bytes_of(mine), all));
  const std::string_view rows(all.data<char>(), size_t(all.numel()));
  const auto row = [&](int r) { return rows.substr(size_t(kRow * r), size_t(kRow)); };
  const auto size_of = [&](int r) {
    int64_t n;
    std::memcpy(&n, row(r).data() + 32, sizeof n);
    return n;
  };
  for (int r = 1; r < g.size(); ++r) {
    if (row(r) == row(0)) continue;
    const std::string first = text_of(g, 0, size_of(0), lines), other = text_of(g, r, size_of(r), lines);
    std::string_view a = first, b = other, la, lb;
    do {
      la = next_line(a);
      lb = next_line(b);
    } while (la == lb && !(a.empty() && b.empty()));
    fail(Code::mismatch, concat(what, ": rank 0 has ", quoted(la), ", rank ", r, " has ", quoted(lb)),
         "every rank makes the same objects in the same order");
  }
}

}  // namespace haft::parallel
