// Why a request has no result, as a status of HTTP.
using System;
using Haft;

sealed class Refusal : Exception {
  internal readonly int Status, RetryAfter;  // seconds; 0: the same request will not do later either
  internal Refusal(int status, string text, int retryAfter = 0) : base(text) {
    Status = status;
    RetryAfter = retryAfter;
  }

  internal static Refusal Of(Exception e) {
    var refusal = e as Refusal;
    if (refusal != null) return refusal;
    if (e is QueueFullException) return new Refusal(429, e.Message, 1);
    if (e is MemoryLimitException) return new Refusal(503, e.Message, 1);
    if (e is TimeoutException) return new Refusal(504, e.Message);
    if (e is OperationCanceledException || e is ObjectDisposedException)
      return new Refusal(503, "the service ends; ask another", 1);
    return new Refusal(500, "internal error; the log tells more");
  }
}
