"""Which device a process of several computes on."""
import os


def own_device(text):
    """"cuda" is one for each process of a machine, "cuda:0" the same for all."""
    return text if text == "cpu" or ":" in text else f"{text}:{os.environ.get('LOCAL_RANK', '0')}"
