package io.haft;

/**
 * Pictures in folders root/class/..., PNG, JPEG, PGM and PPM: uint8 (channels, height, width), each as large as its file
 * says, and the number of its class. A loader decodes them on its threads; its transforms must end in one size, as a crop
 * does. JPEG wants libturbojpeg.so.0 on the system.
 */
public final class ImageFolderDataset extends Dataset.Held {
  /**
   * Opens a folder, pictures with three colours.
   *
   * @param root the folder that holds one for each class
   */
  public ImageFolderDataset(String root) {
    this(root, 3);
  }

  /**
   * Opens a folder.
   *
   * @param root the folder that holds one for each class
   * @param channels 1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of each file
   */
  public ImageFolderDataset(String root, long channels) {
    super(Haft.imageFolderDataset(root, channels));
  }

  /**
   * Names of the classes, in order; labels number them.
   *
   * @return the names
   */
  public String[] classes() {
    String[] names = new String[(int) open().classCount()];
    for (int i = 0; i < names.length; i++) names[i] = open().className(i);
    return names;
  }
}
