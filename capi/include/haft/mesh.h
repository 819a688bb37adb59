/* The seam of engines that carry a process group's data from process to process (gloo, mpi, a plug-in of yours). For
 * who writes an engine; programs do not need this header, and haft/haft.h does not bring it.
 *
 * How it works
 *  A plug-in is libhaft_<name>.so, found beside libhaft.so or in a folder of HAFT_BACKEND_PATH when a group asks for
 *  the engine of that name (haft_process_group_options.engine). Its one symbol, haft_mesh_entry, answers with its
 *  table.
 *
 *  An engine carries messages between ranks and knows nothing of tensors: collectives, their checks, messages by tag,
 *  time and failures are haft's. Between each two ranks lie lanes, in both directions; a lane is a few slots of
 *  memory of equal size. A rank fills a slot and sends it; it comes to rest in the slot of that number with the peer,
 *  who reads it there and then says that it may be filled again. So there is always a place for what is under way,
 *  nothing is allocated while data move, and who does not read holds up who writes.
 *
 *  An engine that does whole collectives by itself, on memory of a device, has a table of its own (haft/collectives.h).
 *
 * Contract
 *  1. Nothing here throws, prints, exits or changes what signals do; threads of the engine have all signals blocked.
 *     A function that can fail answers 0 or a haft_status (haft/types.h); open writes the reason into `reason`.
 *  2. Slots of a lane are used in turn: 0, 1, ... slots - 1, 0, ... A send of a slot that its peer has not posted
 *     waits with the engine, and its memory belongs to the engine until `sent` counts it. open posts all slots once.
 *  3. What was sent comes whole, once, in the order of its lane, and is counted by `received` when it can be read.
 *     Lanes do not wait for each other.
 *  4. open and close of a mesh stand before and after all else of it. In between any thread may call anything at any
 *     time, but only one at a time sends to, and only one reads from, a lane of a peer.
 *  5. When what `sent`, `received` or `is_lost` answer may have changed, the engine calls ring, from any thread: it
 *     wakes who waits and calls nothing. An engine without a thread has `progress` instead, or both (see rest).
 *  6. A peer is lost when its process has ended or the connection broke. What it sent before may still be read; what is
 *     sent to it goes nowhere. Nobody else suffers from it.
 *  7. Whoever connects without the token is hung up on, where connections are the engine's own.
 *  8. Structs that begin with struct_size grow at their end.
 */
#ifndef HAFT_MESH_H
#define HAFT_MESH_H
#include <stdint.h>

#define HAFT_MESH_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_mesh haft_mesh; /* the engine's own: what connects this rank with the others of a group */

typedef struct haft_mesh_lane {
  int32_t slots; /* how many slots it has */
  int32_t reserved;
  uint64_t slot_bytes; /* a multiple of 64 */
  uint64_t offset;     /* of its first slot in the memory of a peer */
} haft_mesh_lane;

typedef struct haft_mesh_options {
  uint32_t struct_size;
  int32_t rank, size; /* of this process; how many there are */
  int32_t lane_count; /* lanes to each peer */
  const haft_mesh_lane* lanes;
  /* peer_bytes for each rank, this one included: slot i of lane l lies peer * peer_bytes + l.offset + i *
   * l.slot_bytes behind these. They and `host` live longer than the mesh; the struct and all else that it points to,
   * until open comes back. */
  unsigned char* outgoing;
  unsigned char* incoming;
  uint64_t peer_bytes;
  const char* address;     /* of this machine, in numbers, under which the other ranks reach it */
  unsigned char token[16]; /* known to the ranks of this group alone */
  int64_t timeout_ns;      /* until all ranks are connected */
  void* host;
  /* The group's store, while open runs: a rank's key is there for all ranks. get waits; `*count` is what the value
   * has, of which no more than `room` are written. */
  int32_t (*set)(void* host, const char* key, const void* bytes, uint64_t count);
  int32_t (*get)(void* host, const char* key, void* bytes, uint64_t room, uint64_t* count);
  void (*ring)(void* host);
  /* (optional, with take_back) Where the end of a message comes to rest instead of its slot. `first` are its first
   * bytes, HAFT_MESH_FIRST of `bytes`, which are more. NULL: in its slot. Else all behind the first *head bytes,
   * which are no more than HAFT_MESH_FIRST, is written to what it answers. Asked in the order of a lane, by one
   * thread at a time, with locks of the engine held; it calls nothing of the engine. */
  void* (*place)(void* host, int32_t peer, int32_t lane, int32_t slot, const void* first, uint64_t bytes,
                 uint64_t* head);
} haft_mesh_options;
#define HAFT_MESH_FIRST 64

typedef struct haft_mesh_engine {
  uint32_t struct_size; /* sizeof(haft_mesh_engine) of the plug-in */
  uint32_t abi;         /* HAFT_MESH_ABI it was built for */
  const char* name;     /* "gloo" */

  /* Comes back when this rank is connected with all others, which call it, too. */
  int32_t (*open)(const haft_mesh_options* options, haft_mesh** out, char* reason, uint32_t reason_size);
  /* First waits, no longer than linger_ns, until all that was sent has reached the machines of peers that are not lost.
   * HAFT_ERROR_BUSY: the mesh is gone, but what cannot be taken back uses its slots, whose memory has to stay for
   * good. */
  int32_t (*close)(haft_mesh* m, int64_t linger_ns);

  int32_t (*post)(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot);
  int32_t (*send)(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot, uint64_t bytes);
  /* How many sends of a lane are through, and how many messages of it have come, since the mesh was opened. */
  uint64_t (*sent)(haft_mesh* m, int32_t peer, int32_t lane);
  uint64_t (*received)(haft_mesh* m, int32_t peer, int32_t lane);
  int32_t (*is_lost)(haft_mesh* m, int32_t peer);
  /* (optional) Moves what can be moved without waiting; 1 when it did. */
  int32_t (*progress)(haft_mesh* m);
  /* (optional, beside progress) The engine has a thread, too, which leaves the mesh alone from a call of progress on
   * until rest is called: who waits moves the data himself, and rests before he sleeps or does anything else. Where
   * several threads wait, one that rests may be followed by progress of another. */
  void (*rest)(haft_mesh* m);
  /* (optional, beside rest) Between progress and rest: comes back when progress could move something, after no
   * more than `ns`; 1 when it could. */
  int32_t (*await)(haft_mesh* m, int64_t ns);
  /* (optional, both) send_from: as send, but only the first `head` bytes lie in the slot. The other `bytes` lie at
   * `data`, which belongs to the engine until `sent` counts them, or until keep has come back: it copies what is lent
   * and not sent yet to its slots. */
  int32_t (*send_from)(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot, uint64_t head, const void* data,
                       uint64_t bytes);
  void (*keep)(haft_mesh* m, int32_t peer, int32_t lane);
  /* (optional) Nothing is written to where `place` said any more: what has come there of a message that is not whole
   * yet is copied to its slot, where the rest of it goes. Answers that slot, or -1. */
  int32_t (*take_back)(haft_mesh* m, int32_t peer, int32_t lane);
} haft_mesh_engine;

/* The one symbol of a plug-in library: `haft_mesh_entry`, with C linkage. `version` is haft's, "1.0.0". Returns NULL
 * with a reason when it cannot serve in this process. The table that it answers lives as long as the process. */
typedef const haft_mesh_engine* (*haft_mesh_entry_fn)(const char* version, char* reason, uint32_t reason_size);
#define HAFT_MESH_ENTRY "haft_mesh_entry"

#ifdef __cplusplus
}
#endif
#endif
