package io.haft;

/** Pictures in files anywhere, with labels: as {@link ImageFolderDataset} otherwise. */
public final class ImageFilesDataset extends Dataset.Held {
  /**
   * These files.
   *
   * @param paths PNG, JPEG, PGM and PPM
   * @param labels one each
   * @param channels 1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of each file
   */
  public ImageFilesDataset(String[] paths, long[] labels, long channels) {
    super(Haft.imageFilesDataset(paths, labels, channels));
  }
}
