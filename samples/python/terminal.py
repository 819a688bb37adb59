"""A progress line: in place on a terminal, a plain line every five seconds elsewhere."""
import shutil
import sys
import time


class Progress:
    WIDTH = 24

    def __init__(self, epochs, stream=sys.stdout):
        self.epochs, self.stream = epochs, stream
        self.terminal = stream.isatty()
        self.start = self.epoch_start = self.drawn = time.monotonic()
        self.epoch = 1

    def begin(self, epoch):
        self.epoch, self.epoch_start = epoch, time.monotonic()

    def due(self):
        """Whether the line should be drawn again."""
        return time.monotonic() - self.drawn >= (0.1 if self.terminal else 5.0)

    def draw(self, done, total, images, loss, accuracy):
        """done of total steps of this epoch, with `images` images in them."""
        now, part = time.monotonic(), done / total
        whole = (self.epoch - 1 + part) / self.epochs
        left = (now - self.start) * (1 - whole) / whole
        head = f"epoch {self.epoch}/{self.epochs} ["
        tail = (f"] {100 * part:3.0f} %  loss {loss:.4f}  accuracy {100 * accuracy:5.2f} %  "
                f"{images / (now - self.epoch_start):5.0f} images/s  ETA {int(left) // 60}:{int(left) % 60:02d}")
        width = self.WIDTH
        if self.terminal:  # the bar takes what the numbers leave
            width = max(3, min(width, shutil.get_terminal_size().columns - len(head) - len(tail) - 1))
        filled = int(part * width)
        bar = "=" * filled + ">" * (filled < width) + " " * (width - filled - 1)
        line = ("\r" if self.terminal else "") + head + bar + tail + ("\033[K" if self.terminal else "")
        print(line, end="" if self.terminal else "\n", file=self.stream, flush=True)
        self.drawn = now

    def clear(self):
        """Makes room for an ordinary line."""
        if self.terminal:
            print("\r\033[K", end="", file=self.stream)
