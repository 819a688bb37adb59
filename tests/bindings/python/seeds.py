"""Every source of random numbers starts from SEED: HAFT_TEST_SEED, which repeats a run, or a new one in every process."""
import os
import random
import sys

import haft

SEED = int(os.environ.get("HAFT_TEST_SEED", random.SystemRandom().randrange(2 ** 31)))
print(f"HAFT_TEST_SEED={SEED}", file=sys.stderr)
random.seed(SEED)
haft.manual_seed(SEED)
# What a test has not imported by then is not worth its time.
if "numpy" in sys.modules:
    sys.modules["numpy"].random.seed(SEED % 2 ** 32)
if "torch" in sys.modules:
    sys.modules["torch"].manual_seed(SEED)
