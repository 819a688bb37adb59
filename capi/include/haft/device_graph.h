/* Recorded device work: what a thread enqueues on a stream once, a whole training step if it likes, and replays at
 * the cost of one call. On CUDA it is a CUDA graph.
 *
 * How it works
 *  Between begin and end the operators of the thread on the graph's device are recorded instead of run: tensors are
 *  made, gradients stored, but nothing is computed. A replay does all of it again over the same memory with what is
 *  there then: new inputs are copied into the tensors that were read, results are read from those that were written.
 *  What is recorded keeps its memory for the graph's life.
 *
 *  Taken anew by each replay, as if the step were run: random numbers (the generator goes on), an optimizer's step
 *  count, learning rate and other options (a schedule's too). All other numbers that came from the host stay as they
 *  were.
 *
 *  Recorded steps need a few ordinary ones before them, on the same stream: an optimizer's first step, which makes
 *  its states, and whatever else is made at first use, cannot be recorded. Gradients should be absent when a
 *  recording begins (haft_optimizer_zero_grad with set_to_none), so that backward makes them in the graph's memory.
 *  After haft_optimizer_load_state, record again.
 *
 *  What waits for the device or reads its data on the host (haft_item, haft_nonzero, copies from memory that is not
 *  pinned) is refused by HAFT_ERROR_UNSUPPORTED, with the operator's or the call's name; the recording goes on, and
 *  should be discarded. A GradScaler's step is recorded (haft/amp.h). */
#ifndef HAFT_DEVICE_GRAPH_H
#define HAFT_DEVICE_GRAPH_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_device_graph haft_device_graph;

/**
 * @brief A graph with nothing recorded yet.
 * @param[in]  device  HAFT_DEVICE_DEFAULT: this thread's default
 * @param[out] out     a new graph; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_UNSUPPORTED for a device that records nothing, as the CPU,
 *         HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_create(haft_device device, haft_device_graph** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in] g  the graph
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_retain(haft_device_graph* g) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. Replays under way are finished; a recording goes on until it is
 *        ended.
 * @param[in] g  the graph
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_device_graph_release(haft_device_graph* g) HAFT_NOTHROW;
/**
 * @brief Begins to record what this thread enqueues on its current stream of the graph's device, in place of what was
 *        recorded before.
 * @param[in] g  the graph
 * @return HAFT_OK, HAFT_ERROR_BUSY while it or this thread records, HAFT_ERROR_OUT_OF_MEMORY, HAFT_ERROR_FORKED, or
 *         what the device answers.
 * @note Thread class: any; the recording belongs to the calling thread, and is thrown away when that ends before it.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_begin(haft_device_graph* g) HAFT_NOTHROW;
/**
 * @brief haft_device_graph_begin in the memory of another graph's last recording, where what that has left free, and
 *        the tensors of it that are gone, serve this one too.
 *
 * So both write the same memory: replays of graphs that share theirs run in the order in which they were recorded,
 * never at once, and what one has written and no tensor holds is another's to overwrite. Memory lives until all of
 * them and their tensors are gone.
 * @param[in] g       the graph
 * @param[in] memory  a graph of the same device; without a recording it has the same memory from now on, and may be g
 * @return as haft_device_graph_begin; HAFT_ERROR_BUSY also while another recording is made in that memory,
 *         HAFT_ERROR_DEVICE for graphs of different devices.
 * @note Thread class: any; the recording belongs to the calling thread, and is thrown away when that ends before it.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_begin_sharing(haft_device_graph* g, haft_device_graph* memory) HAFT_NOTHROW;
/**
 * @brief 1 while the calling thread records.
 * @param[out] out  0 or 1
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_is_recording(int32_t* out) HAFT_NOTHROW;
/**
 * @brief Ends the recording, which replays from now on.
 * @param[in] g  the graph
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT where this thread does not record it, or why the device threw the
 *         recording away.
 * @note Thread class: the thread that began.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_end(haft_device_graph* g) HAFT_NOTHROW;
/**
 * @brief Ends the recording and throws it away; the graph has nothing recorded then.
 * @param[in] g  the graph
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT where this thread does not record it.
 * @note Thread class: the thread that began.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_discard(haft_device_graph* g) HAFT_NOTHROW;
/**
 * @brief Enqueues all that was recorded on this thread's current stream of the device. Does not wait.
 * @param[in] g  the graph
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT with nothing recorded, HAFT_ERROR_FORKED, or what the device answers.
 * @note Thread class: any; replays of one graph are one behind the other.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_replay(haft_device_graph* g) HAFT_NOTHROW;
/**
 * @brief 1 when something is recorded that replays.
 * @param[in]  g    the graph
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_graph_is_ready(const haft_device_graph* g, int32_t* out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
