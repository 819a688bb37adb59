#include "core/dist/call.h"

#include <algorithm>

namespace haft::dist {

namespace {

constexpr const char* kKinds[] = {"nothing",    "broadcast", "all_reduce",        "reduce",
                                  "all_gather", "gather",    "scatter",           "reduce_scatter",
                                  "all_to_all", "barrier",   "monitored_barrier", "send",
                                  "recv"};
constexpr const char* kReduces[] = {"sum", "prod", "min", "max", "avg", "band", "bor", "bxor"};

bool reduces(Kind k) { return k == Kind::all_reduce || k == Kind::reduce || k == Kind::reduce_scatter; }
bool has_root(Kind k) {
  return k == Kind::broadcast || k == Kind::reduce || k == Kind::gather || k == Kind::scatter;
}

}  // namespace

const char* kind_name(Kind k) {
  return size_t(k) < std::size(kKinds) ? kKinds[size_t(k)] : "an unknown call";
}
const char* reduce_name(ReduceOp op) {
  return size_t(op) < std::size(kReduces) ? kReduces[size_t(op)] : "an unknown reduction";
}

std::string describe(const Header& h) {
  std::string s = concat(kind_name(h.kind), " #", h.seq);
  if (h.dtype == DType::none) return s;
  s += concat(" (", is_valid(int32_t(h.dtype)) ? dtype_name(h.dtype) : "an unknown type", " ",
              IntList(h.sizes, std::min<size_t>(h.ndim, 8)));
  if (reduces(h.kind)) s += concat(", ", reduce_name(h.reduce));
  if (has_root(h.kind)) s += concat(", root ", h.root);
  if (h.unit) s += concat(", unit ", h.unit);
  return s + ")";
}

bool agree(const Header& a, const Header& b) {
  if (a.magic != b.magic || a.seq != b.seq || a.kind != b.kind || a.dtype != b.dtype ||
      a.reduce != b.reduce || a.root != b.root || a.uneven != b.uneven || a.unit != b.unit)
    return false;
  return a.uneven || (a.ndim == b.ndim && std::equal(a.sizes, a.sizes + 8, b.sizes));
}

std::string mismatch_text(int my_rank, const Header& mine, int their_rank, const Header& theirs) {
  if (theirs.magic != kMagic)
    return concat("rank ", my_rank, " got bytes from rank ", their_rank, " that are no call, during ",
                  describe(mine));
  if (agree(mine, theirs))
    return concat("rank ", their_rank, " sends ", theirs.link, " elements to rank ", my_rank,
                  ", which wants another number, in ", describe(mine));
  return concat("rank ", my_rank, " called ", describe(mine), ", rank ", their_rank, " called ",
                describe(theirs));
}

}  // namespace haft::dist
