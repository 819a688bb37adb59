#include "core/dispatch/replay.h"

#include <atomic>
#include <cstring>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/op_table.h"

namespace haft {

// What was drawn while recording, and whose words hold it: operators and their gradients share a draw.
struct ReplayNotes {
  static inline std::atomic<uint64_t> last_number{0};
  struct Drawn {
    Ref<Generator> generator;
    uint64_t stream;
    int64_t n;
    Draw value;
    std::vector<std::pair<uint64_t*, uint64_t*>> readers;  // of seed and offset
  };
  struct Draws {
    std::vector<Drawn> all;

    void take_anew() {
      for (Drawn& d : all) {
        const Draw now = draw_from(*d.generator, d.stream, d.n);
        for (auto [seed, offset] : d.readers) *seed = uint64_t(now.seed), *offset = uint64_t(now.offset);
      }
    }
  };
  LiveWords& words;
  std::shared_ptr<Draws> draws = std::make_shared<Draws>();  // the recording's, when it is whole
  std::function<void(uint64_t*)> settings;
  std::vector<ReplayGate> gates;
  const uint64_t number;

  explicit ReplayNotes(LiveWords& w) : words(w), number(++last_number) {
    words.before_replay([all = draws] { all->take_anew(); });
  }
};

namespace {
ReplayNotes* notes() { return static_cast<ReplayNotes*>(thread_state().slots[kSlotReplay]); }
}  // namespace

uint64_t recording_number() { return notes()->number; }

CaptureScope::CaptureScope(Ref<MemoryArena> arena)
    : capture_(std::move(arena)),
      notes_(std::make_unique<ReplayNotes>(capture_.live())),
      slot_(thread_state().slots[kSlotReplay], notes_.get()),
      modes_(thread_state().modes, thread_state().modes | kModeCapture) {}
CaptureScope::~CaptureScope() = default;
Ref<DeviceGraph> CaptureScope::end() { return capture_.end(); }

void named_in_recordings(const Call& c) {
  try {
    dispatch(c);
  } catch (Error& e) {
    if (e.code == Code::unsupported && !e.message.starts_with('['))
      e.message = concat("[", op_name(c.op), "] ", e.message);
    throw;
  }
}

const uint64_t* live_words(OpId op, Words words) {
  const OpInfo& info = op_info(op);
  ReplayNotes& n = *notes();
  if (info.seed_word >= 0) {
    const Draw read{int64_t(words[size_t(info.seed_word)]), int64_t(words[size_t(info.offset_word)])};
    for (ReplayNotes::Drawn& d : n.draws->all) {
      if (d.value.seed != read.seed || d.value.offset != read.offset) continue;
      const LiveWords::Place p = n.words.add(words);
      d.readers.emplace_back(p.here + info.seed_word, p.here + info.offset_word);
      return p.there;
    }
    return nullptr;  // numbers that the caller named stay
  }
  if (!info.set_words) return nullptr;
  if (!n.settings)
    fail(Code::unsupported,
         concat("[", op_name(op), "] cannot be recorded here: its settings would stay as they are now"),
         "call it by the object that has them");
  const LiveWords::Place p = n.words.add(words);
  n.words.before_replay([change = n.settings, p] { change(p.here); });
  return p.there;
}

void note_draw(Generator& g, uint64_t stream, int64_t n, Draw d) {
  notes()->draws->all.push_back({Ref<Generator>::share(&g), stream, n, d, {}});
}

ReplaySettings::ReplaySettings(std::function<void(uint64_t*)> change) {
  notes()->settings = std::move(change);
}
ReplaySettings::~ReplaySettings() { notes()->settings = nullptr; }

Tensor replay_numbers(int64_t n, std::function<void(std::span<double>)> write) {
  LiveWords& words = notes()->words;
  const LiveWords::Place p = words.add(std::vector<uint64_t>(size_t(n)));
  words.before_replay([write = std::move(write), p, numbers = std::vector<double>(size_t(n))]() mutable {
    write(numbers);
    std::memcpy(p.here, numbers.data(), numbers.size() * sizeof(double));
  });
  auto storage = wrap_storage(
      words.device(), const_cast<uint64_t*>(p.there), n * int64_t(sizeof(double)), [](Storage&) {}, nullptr);
  return tensor_over(std::move(storage), Shape{n}, Shape{1}, DType::f64);
}

void set_replay_gates(std::vector<ReplayGate> gates) { notes()->gates = std::move(gates); }
std::span<const ReplayGate> replay_gates() { return notes()->gates; }
ReplayGate* replay_gate(Device d) {
  for (ReplayGate& g : notes()->gates)
    if (g.device == d) return &g;
  return nullptr;
}

}  // namespace haft
