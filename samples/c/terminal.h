/* What the samples draw: a progress line and grey pictures. On a terminal in colour and in place, elsewhere
 * as plain text. */
#ifndef SAMPLES_TERMINAL_H
#define SAMPLES_TERMINAL_H

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline int on_terminal(void) { return isatty(STDOUT_FILENO); }

static inline int terminal_columns(void) {
  struct winsize size;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* ---- progress ---- */

struct progress {
  double start; /* of the whole run, of this epoch, and when the line was drawn last */
  double epoch_start;
  double drawn;
  int epoch, epochs;
};

/* 1 when the line should be drawn again: ten times a second on a terminal, every 5 s elsewhere. */
static inline int progress_due(const struct progress* p) {
  return now() - p->drawn >= (on_terminal() ? 0.1 : 5.0);
}

/* done of total steps of this epoch, with `images` images in them. */
static inline void progress_draw(struct progress* p, long done, long total, long images, double loss,
                                 double accuracy) {
  enum { WIDTH = 24 };
  char bar[WIDTH + 1];
  const double time = now(), part = (double)done / (double)total;
  const double all = (p->epoch - 1 + part) / p->epochs, left = (time - p->start) * (1 - all) / all;
  const int filled = (int)(part * (double)WIDTH);
  for (int i = 0; i < WIDTH; ++i) bar[i] = i < filled ? '=' : i == filled ? '>' : ' ';
  bar[WIDTH] = 0;
  printf("%sepoch %d/%d [%s] %3.0f %%  loss %.4f  accuracy %5.2f %%  %5.0f images/s  ETA %d:%02d%s",
         on_terminal() ? "\r" : "", p->epoch, p->epochs, bar, 100 * part, loss, 100 * accuracy,
         (double)images / (time - p->epoch_start), (int)left / 60, (int)left % 60,
         on_terminal() ? "\033[K" : "\n");
  fflush(stdout);
  p->drawn = time;
}

/* Makes room for an ordinary line. */
static inline void progress_clear(void) {
  if (on_terminal()) printf("\r\033[K");
}

/* ---- pictures ---- */

struct picture {
  const unsigned char* grey; /* size x size, 0 black */
  char title[2][32];
};

/* A character cell shows two pixels, one above the other. */
static inline void draw_cell(unsigned char above, unsigned char below) {
  static const char shades[] = " .:-=+*#%@";
  if (on_terminal())
    printf("\033[38;2;%d;%d;%d;48;2;%d;%d;%dm\xe2\x96\x80", above, above, above, below, below, below);
  else
    putchar(shades[(above + below) * 9 / 510]);
}

/* Pictures side by side, as many as the line holds, with their titles below. */
static inline void draw_pictures(const struct picture* pictures, int count, int size) {
  int columns = (terminal_columns() + 2) / (size + 2);
  if (columns < 1) columns = 1;
  for (int first = 0; first < count; first += columns) {
    const int last = first + columns < count ? first + columns : count;
    for (int y = 0; y < size; y += 2) {
      for (int p = first; p < last; ++p) {
        const unsigned char* row = pictures[p].grey + y * size;
        for (int x = 0; x < size; ++x) draw_cell(row[x], y + 1 < size ? row[size + x] : 0);
        printf("%s%s", on_terminal() ? "\033[0m" : "", p + 1 < last ? "  " : "\n");
      }
    }
    for (int line = 0; line < 2; ++line)
      for (int p = first; p < last; ++p)
        printf("%-*s%s", size, pictures[p].title[line], p + 1 < last ? "  " : "\n");
  }
}

#endif
