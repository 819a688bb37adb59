"""Plain means, and means of 16-bit gradients."""

import haft

__all__ = ["allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook", "fp16_compress_wrapper"]


def engine_hook(name, text, set_up):
    """A hook that the engine runs: register_comm_hook() calls set_up(ddp, state)."""
    def hook(state, bucket):
        raise TypeError(f"{name} is run by the engine: give it to register_comm_hook()")
    hook.__name__ = hook.__qualname__ = name
    hook.__doc__ = text
    hook._in_the_engine = set_up
    return hook


allreduce_hook = engine_hook("allreduce_hook", "The mean, which is what DistributedDataParallel does without a hook.", lambda ddp, state: None)
fp16_compress_hook = engine_hook("fp16_compress_hook", "Gradients travel as float16: half the bytes.", lambda ddp, state: ddp.set_compression("fp16"))
bf16_compress_hook = engine_hook("bf16_compress_hook", "Gradients travel as bfloat16: half the bytes, the range of float32.",
                                 lambda ddp, state: ddp.set_compression("bf16"))


def _narrowed(dtype, plain, hook):
    if hook is allreduce_hook:
        return plain
    if hasattr(hook, "_in_the_engine"):
        raise TypeError(f"{hook.__name__} says by itself what travels: it takes no wrapper")

    def wrapped(state, bucket):
        low = haft.distributed.GradBucket(bucket.index(), [t.to(dtype) for t in (bucket.buffer(), *bucket.gradients())] + bucket.parameters(),
                                          bucket.is_last())

        def widened(future):
            mean = future.value()
            return (mean[0] if isinstance(mean, (list, tuple)) else mean).to(bucket.buffer().dtype)

        return hook(state, low).then(widened)

    return wrapped


def fp16_compress_wrapper(hook):
    """The hook, for gradients in float16: it gets a narrowed copy of the bucket, and its mean is widened."""
    return _narrowed(haft.float16, fp16_compress_hook, hook)


def bf16_compress_wrapper(hook):
    """The same in bfloat16."""
    return _narrowed(haft.bfloat16, bf16_compress_hook, hook)
