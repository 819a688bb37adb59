package io.haft;

/**
 * Where the shim calls into Java. Tensors come in as shares that Java owns, results leave as shares of their own. What else a
 * function makes goes when it returns: the collector, who sees none of a tensor's memory, comes too late.
 */
final class Callbacks {
  private Callbacks() {}

  static ClassLoader context() {
    return Thread.currentThread().getContextClassLoader();
  }

  /** Around a call on a thread of the engine, which has no context class loader of its own. */
  static ClassLoader enter(ClassLoader context) {
    ClassLoader before = context();  // of a call around this one
    Thread.currentThread().setContextClassLoader(context);
    return before;
  }

  static void leave(ClassLoader before) {
    Thread.currentThread().setContextClassLoader(before);
  }

  private static long give(Tensor t) {
    if (t == null) return 0;
    long h = t.handle();
    Native.retainTensor(h, t);
    return h;
  }

  private static long[] give(Tensor[] ts) {
    if (ts == null) return new long[0];
    long[] out = new long[ts.length];
    int done = 0;
    try {
      for (; done < ts.length; done++) out[done] = give(ts[done]);
      return out;
    } finally {
      for (int i = 0; done < ts.length && i < done; i++) if (out[i] != 0) Native.release(NativeObject.TENSOR, out[i]);
    }
  }

  static long tensor(Object f, long x) {
    Scope scope = Scope.enterCallback();
    try {
      return give(((TensorFunction) f).apply(Tensor.adopt(x)));
    } finally {
      scope.leaveCallback();
    }
  }

  static long[] tensors(Object f, long[] inputs) {
    Scope scope = Scope.enterCallback();
    try {
      return give(((TensorsFunction) f).apply(Tensor.adopt(inputs)));
    } finally {
      scope.leaveCallback();
    }
  }

  static long[] moduleHook(Object f, long[] inputs, long[] outputs) {
    Scope scope = Scope.enterCallback();
    try {
      return give(((Module.ForwardHook) f).apply(Tensor.adopt(inputs), Tensor.adopt(outputs)));
    } finally {
      scope.leaveCallback();
    }
  }

  static double rate(Object f, long epoch) {
    Scope scope = Scope.enterCallback();
    try {
      return ((java.util.function.LongToDoubleFunction) f).applyAsDouble(epoch);
    } finally {
      scope.leaveCallback();
    }
  }

  static void log(Object f, int level, String text) {
    ((LogSink) f).log(LogLevel.of(level), text);
  }

  static long[] item(Object f, long index) {
    Scope scope = Scope.enterCallback();
    try {
      return give(((Dataset.Items) f).get(index));
    } finally {
      scope.leaveCallback();
    }
  }

  static long[] forward(Object f, long context, long[] inputs) {
    Scope scope = Scope.enterCallback();
    try {
      return ((Function) f).runForward(context, Tensor.adopt(inputs));
    } finally {
      scope.leaveCallback();
    }
  }

  static long[] backward(Object f, long context, long[] grads) {
    Scope scope = Scope.enterCallback();
    try {
      return ((Function) f).runBackward(context, Tensor.adopt(grads));
    } finally {
      scope.leaveCallback();
    }
  }

  static long pack(Object f, long x) {
    Scope scope = Scope.enterCallback();
    try {
      return ((SavedTensors) f).pack(Tensor.adopt(x));
    } finally {
      scope.leaveCallback();
    }
  }

  static long unpack(Object f, long packed) {
    Scope scope = Scope.enterCallback();
    try {
      return give(((SavedTensors) f).unpack(packed));
    } finally {
      scope.leaveCallback();
    }
  }

  static void drop(Object f, long packed) {
    ((SavedTensors) f).drop(packed);
  }

  static void run(Object f) {
    Scope scope = Scope.enterCallback();
    try {
      ((Runnable) f).run();
    } finally {
      scope.leaveCallback();
    }
  }

  static void request(Object f, long request, int status) {
    Scope here = Scope.suspend();  // of whoever computes the batch, or cancels: the answer is another's
    try {
      ((InferenceSession.Done) f).done(Request.adopt(request), status);
    } finally {
      Scope.resume(here);
    }
  }

  static void work(Object f, long work, int status) {
    Scope here = Scope.suspend();  // of whoever waits for something of the group
    try {
      ((Work.Done) f).done(Work.adopt(work, null), status);
    } finally {
      Scope.resume(here);
    }
  }

  static void called(Object f, long request) throws Exception {
    ((Rpc.Called) f).call(RpcRequest.adopt(request));
  }

  static void answered(Object f, long future) {
    Scope here = Scope.suspend();  // of whoever calls, when the answer is there already
    try {
      ((Rpc.Answered) f).done(RpcFuture.adopt(future));
    } finally {
      Scope.resume(here);
    }
  }

  static void begin(Object f, long bucket, long[] tensors) {
    Scope scope = Scope.enterCallback();
    try {
      ((DistributedDataParallel.Hooked) f).begin(bucket, Tensor.adopt(tensors));
    } finally {
      scope.leaveCallback();
    }
  }

  static void finish(Object f, long bucket, long[] tensors) {
    Scope scope = Scope.enterCallback();
    try {
      ((DistributedDataParallel.Hooked) f).finish(bucket, Tensor.adopt(tensors));
    } finally {
      scope.leaveCallback();
    }
  }

  static long[] results(Tensor[] ts) {
    return give(ts);
  }
}
