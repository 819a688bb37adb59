"""Plain means, and means of 16-bit gradients."""

import haft

__all__ = ["allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook", "fp16_compress_wrapper"]


def _of_the_engine(set_up):
    def decorated(hook):
        hook._in_the_engine = set_up
        return hook
    return decorated


def _refuse(hook):
    raise TypeError(f"{hook} is run by the engine: give it to register_comm_hook()")


@_of_the_engine(lambda ddp, state: None)
def allreduce_hook(process_group, bucket):
    """The mean, which is what DistributedDataParallel does without a hook."""
    _refuse("allreduce_hook")


@_of_the_engine(lambda ddp, state: ddp.set_compression("fp16"))
def fp16_compress_hook(process_group, bucket):
    """Gradients travel as float16: half the bytes."""
    _refuse("fp16_compress_hook")


@_of_the_engine(lambda ddp, state: ddp.set_compression("bf16"))
def bf16_compress_hook(process_group, bucket):
    """Gradients travel as bfloat16: half the bytes, the range of float32."""
    _refuse("bf16_compress_hook")


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
