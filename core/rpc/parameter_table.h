// What a parameter server keeps of one parameter: its part of a dense one, or the rows of a table that somebody has
// used, with the optimizer's state of each. A step changes what it is given a gradient for and nothing else.
#pragma once
#include <mutex>
#include <unordered_map>

#include "core/io/checkpoint_file.h"
#include "core/optim/optimizer.h"

namespace haft::rpc {

struct Rule {
  const OptimizerKind* kind = nullptr;
  std::vector<double> options;
};

// Rows of a table are made when they are first asked for, from the table's seed and their own number: the same on any
// number of servers.
struct TableShape {
  int64_t rows = 0, width = 0;  // width 0: no table
  DType dtype = DType::none;
  double std = 0;
  uint64_t seed = 0;
};

// One element each, in the order of first use; `index` says which of them each of the given ones is.
struct Unique {
  std::vector<int64_t> ids, index;
  explicit Unique(std::span<const int64_t> all);
  Tensor sum(const Tensor& rows) const;  // of the rows of equal ids
};
std::span<const int64_t> ids_of(const Tensor& ids);  // a dense int64 tensor of the CPU, or it fails
Tensor to_ids(std::span<const int64_t> ids);

// The caller has the lock.
class Parameter : public RefCounted {
 public:
  std::mutex mutex;
  int64_t version = 0;  // steps so far

  Parameter(Tensor part, int64_t total, int64_t offset);  // of a dense one
  explicit Parameter(const TableShape& table);
  bool is_table() const { return table_.width > 0; }
  // Fails with mismatch when it is not the same.
  void check_same(std::string_view key, int64_t total, int64_t offset, const Tensor& part) const;
  void check_same(std::string_view key, const TableShape& table) const;

  const Tensor& value() const { return value_; }
  void step(const Rule& rule, const Tensor& gradient);
  Tensor rows(std::span<const int64_t> ids);
  void step_rows(const Rule& rule, const Tensor& ids, const Tensor& gradients);
  int64_t rows_used() const { return int64_t(ids_.size()); }
  // Fails with shape, dtype or index when a gradient does not fit.
  void check_gradient(std::string_view key, const Tensor& gradient) const;
  void check_rows(std::string_view key, const Tensor& ids, const Tensor* gradients) const;

  void save(const std::string& key, CheckpointSection& section, std::vector<Array>& arrays,
            const Rule& rule) const;
  static Ref<Parameter> load(const std::string& key, const CheckpointFile& file, const std::string& section,
                             const Rule& rule);

 private:
  int64_t place_of(int64_t id);
  Tensor gather(const Tensor& from, std::span<const int64_t> places) const;
  void scatter(Tensor& to, std::span<const int64_t> places, const Tensor& rows);
  void grow(Tensor& t, int64_t rows) const;

  TableShape table_;
  int64_t total_ = 0, offset_ = 0;
  Tensor value_;          // of a table: rows in the order of places, with room for more
  ParameterState state_;  // of a table: its slots, as value_
  std::unordered_map<int64_t, int64_t> places_;
  std::vector<int64_t> ids_, steps_;  // of each place
};

}  // namespace haft::rpc
