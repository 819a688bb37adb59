"""PowerSGD: matrices travel as products of two thin ones."""
from .default_hooks import engine_hook

__all__ = ["PowerSGDState", "powerSGD_hook"]


class PowerSGDState:
    """Options of powerSGD_hook.

    Args:
        matrix_approximation_rank: width of the thin matrices
        start_powerSGD_iter: plain means in the steps before
        min_compression_rate: matrices that would not become this many times smaller travel as they are
        use_error_feedback: what is lost is added to the next step's gradients
        warm_start: a step begins where the last one ended
    """

    def __init__(self, process_group=None, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2, use_error_feedback=True,
                 warm_start=True, orthogonalization_epsilon=0, random_seed=0, compression_stats_logging_frequency=10000,
                 batch_tensors_with_same_shape=False):
        self.process_group = process_group
        self.matrix_approximation_rank, self.start_powerSGD_iter = matrix_approximation_rank, start_powerSGD_iter
        self.min_compression_rate, self.use_error_feedback, self.warm_start = min_compression_rate, use_error_feedback, warm_start
        self.random_seed = random_seed


powerSGD_hook = engine_hook(
    "powerSGD_hook", "To be registered with a PowerSGDState.",
    lambda ddp, s: ddp.set_compression("power_sgd", error_feedback=s.use_error_feedback, warm_start=s.warm_start, rank=s.matrix_approximation_rank,
                                       min_rate=s.min_compression_rate, start_step=s.start_powerSGD_iter, seed=s.random_seed))
