// Checkpoints that ranks write together, each the pieces that it has; core/io/sharded_index.h says what they are. A
// save has steps:
//
// 1. plan: ranks exchange what they have, and each makes the same plan of it: who writes which piece under which
// name. What several
//    ranks have is written once, by whoever has least to write.
// 2. take: what is to be written is in host memory from here on. An asynchronous save gets a group of its own, goes
// on in a thread
//    of its own, and the caller may change his tensors.
// 3. write: a file under a name that no earlier save used, whole and flushed before it has this name.
// 4. finish: when all ranks have written, rank 0 puts the index into place, and files that it does not name go.
//
// After every step all ranks know what any of them failed with. Until the index is renamed, the folder's checkpoint
// is the one before.
#pragma once
#include <functional>
#include <memory>

#include "core/dist/group.h"
#include "core/io/sharded_reader.h"

namespace haft::parallel {

class ShardedSave : public RefCounted {
 public:
  // What a save failed with on any rank; nullptr: it is there.
  using Done = std::function<void(std::shared_ptr<const Error>)>;

  // group: absent for a process alone.
  ShardedSave(Ref<dist::Group> group, std::string folder);
  ~ShardedSave();

  // Of values, those of the lowest rank that has a key.
  void plan(std::span<const TensorPiece> pieces, const std::map<std::string, CheckpointSection>& sections);
  void take(bool copy) noexcept;  // finish() tells what it failed with
  void write() noexcept;          // and this
  void finish();
  void give_up();  // instead of all this: the others hear of the exception in flight

 private:
  friend void save_sharded(Ref<dist::Group>, const std::string&, std::span<const TensorPiece>,
                           const std::map<std::string, CheckpointSection>&, Done);
  // A part of one of this rank's pieces, dense in it.
  struct Write {
    std::string key;
    size_t piece;
    int64_t first;
    Box::Sizes sizes;
  };
  struct Planner;

  int rank() const { return group_ ? group_->rank() : 0; }
  int ranks() const { return group_ ? group_->size() : 1; }
  std::string file_of(int rank) const;
  std::vector<std::string> exchange(const std::string& mine);
  std::shared_ptr<const Error> first_failure(const std::shared_ptr<const Error>& mine);
  void agree(const std::shared_ptr<const Error>& mine);
  std::shared_ptr<const Error> caught() noexcept;  // the exception in flight
  std::string told(std::span<const TensorPiece> pieces,
                   const std::map<std::string, CheckpointSection>& sections);
  void make_plan(const std::vector<std::string>& all);
  void lock_folder();
  void unlock_folder() noexcept;
  void put_index();
  void remove_own() noexcept;     // its file, which no index can name
  void remove_others() noexcept;  // of earlier saves
  void run() noexcept;            // what is left to do in a thread

  Ref<dist::Group> group_;
  const std::string folder_;
  std::string id_;                   // of the save, in the names of its files
  std::vector<TensorPiece> pieces_;  // until they are taken
  std::vector<Array> arrays_;        // of those that this rank writes of
  std::vector<Write> writes_;
  int64_t timeout_ns_ = -1;             // -1: the group's
  ShardedIndex index_;                  // on rank 0
  std::shared_ptr<const Error> error_;  // of taking and writing
  const std::shared_ptr<const Error> no_memory_ =
      std::make_shared<Error>(Code::out_of_memory, "out of memory");
  int folder_fd_ = -1;  // locked: of two saves into one folder the later is refused
  std::string wrote_;   // where this rank's file is
  bool named_ = false;  // an index may name it
  Done done_;
};

// All ranks call it; it begins when the group's save before it has ended, for which it waits as long as that one's
// ranks do for each other. Without `done` it waits and fails with what any rank fails
// with; with it, the tensors are free when it returns, and done is called once on a thread of the save's own.
void save_sharded(Ref<dist::Group> group, const std::string& folder, std::span<const TensorPiece> pieces,
                  const std::map<std::string, CheckpointSection>& sections, ShardedSave::Done done);

// In place of it, for who fails before he can call it: the other ranks hear of the exception in flight instead of
// waiting.
void tell_failed_save(const Ref<dist::Group>& group) noexcept;

}  // namespace haft::parallel
