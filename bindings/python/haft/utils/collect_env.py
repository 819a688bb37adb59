"""What a report of a fault should say of the machine; python -m haft.utils.collect_env prints it."""
import platform
import sys

import haft

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info():
    """Versions, the system and the devices, a line each."""
    devices = [haft.cuda.get_device_name(i) for i in range(haft.cuda.device_count())]
    facts = {"haft version": haft.__version__, "Python version": sys.version.replace("\n", ""), "OS": platform.platform(), "CPU": platform.machine(),
             "Threads": haft.get_num_threads(), "Is CUDA available": haft.cuda.is_available(), "GPU models": ", ".join(devices) or "none"}
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def main():
    """Prints that."""
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
