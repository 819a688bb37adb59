"""Plain means, and means of 16-bit gradients."""

__all__ = ["allreduce_hook", "bf16_compress_hook", "fp16_compress_hook"]


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
