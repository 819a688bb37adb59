package io.haft;

import java.util.List;

/**
 * Parts of parameters held at 0 (torch.nn.utils.prune): a parameter becomes NAME_orig and the buffer NAME_mask, and a forward call reads
 * their product. An amount is a number of elements or slices, or a part of those that are left. What is pruned already stays so.
 *
 * <pre>{@code
 * Prune.l1Unstructured(net.child("fc"), "weight", 0.3);
 * }</pre>
 */
public final class Prune {
  private static final int IDENTITY = 0, RANDOM = 1, L1 = 2, RANDOM_SLICES = 3, LN_SLICES = 4;

  private Prune() {}

  /**
   * Makes the mask and prunes nothing.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   */
  public static void identity(Module module, String name) {
    Haft.prune(module, name, IDENTITY, 0, -1, 2, -1, null, null);
  }

  /**
   * Prunes a part of the elements at random.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount from 0 to 1
   * @param generator draws; null: the default one
   */
  public static void randomUnstructured(Module module, String name, double amount, Generator generator) {
    Haft.prune(module, name, RANDOM, amount, -1, 2, -1, null, generator);
  }

  /**
   * Prunes so many elements at random.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount how many
   * @param generator draws; null: the default one
   */
  public static void randomUnstructured(Module module, String name, long amount, Generator generator) {
    Haft.prune(module, name, RANDOM, 0, atLeast0(amount), 2, -1, null, generator);
  }

  /**
   * Prunes a part of the elements, those nearest to 0.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount from 0 to 1
   */
  public static void l1Unstructured(Module module, String name, double amount) {
    l1Unstructured(module, name, amount, null);
  }

  /**
   * Prunes a part of the elements, those of the least scores.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount from 0 to 1
   * @param scores of the parameter's shape; null: its values
   */
  public static void l1Unstructured(Module module, String name, double amount, Tensor scores) {
    Haft.prune(module, name, L1, amount, -1, 2, -1, scores, null);
  }

  /**
   * Prunes so many elements, those nearest to 0.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount how many
   */
  public static void l1Unstructured(Module module, String name, long amount) {
    Haft.prune(module, name, L1, 0, atLeast0(amount), 2, -1, null, null);
  }

  /**
   * Prunes a part of the slices along a dimension at random.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount from 0 to 1
   * @param dim of the slices; negative counts from the end
   * @param generator draws; null: the default one
   */
  public static void randomStructured(Module module, String name, double amount, long dim, Generator generator) {
    Haft.prune(module, name, RANDOM_SLICES, amount, -1, 2, dim, null, generator);
  }

  /**
   * Prunes so many slices along a dimension at random.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount how many
   * @param dim of the slices; negative counts from the end
   * @param generator draws; null: the default one
   */
  public static void randomStructured(Module module, String name, long amount, long dim, Generator generator) {
    Haft.prune(module, name, RANDOM_SLICES, 0, atLeast0(amount), 2, dim, null, generator);
  }

  /**
   * Prunes a part of the slices along a dimension, those of the least norms.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount from 0 to 1
   * @param n of the norm; infinities, too
   * @param dim of the slices; negative counts from the end
   */
  public static void lnStructured(Module module, String name, double amount, double n, long dim) {
    Haft.prune(module, name, LN_SLICES, amount, -1, n, dim, null, null);
  }

  /**
   * Prunes so many slices along a dimension, those of the least norms.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param amount how many
   * @param n of the norm; infinities, too
   * @param dim of the slices; negative counts from the end
   */
  public static void lnStructured(Module module, String name, long amount, double n, long dim) {
    Haft.prune(module, name, LN_SLICES, 0, atLeast0(amount), n, dim, null, null);
  }

  /**
   * Prunes by a mask.
   *
   * @param module whose own parameter it is
   * @param name of the parameter
   * @param mask of the parameter's shape, 0 or false where it is pruned
   */
  public static void customFromMask(Module module, String name, Tensor mask) {
    Haft.pruneByMask(module, name, mask);
  }

  /**
   * Prunes a part of the elements of several parameters together, those nearest to 0.
   *
   * @param modules whose own parameters they are
   * @param names one for each module
   * @param amount from 0 to 1, of all elements
   */
  public static void globalL1Unstructured(List<? extends Module> modules, List<String> names, double amount) {
    if (modules.size() != names.size()) throw new IllegalArgumentException(modules.size() + " modules and " + names.size() + " names");
    Haft.pruneGlobal(modules.toArray(new Module[0]), String.join("\n", names), L1, amount, -1, null);
  }

  /**
   * The zeros become part of the parameter.
   *
   * @param module whose parameter it is
   * @param name of the parameter
   */
  public static void remove(Module module, String name) {
    module.removePruning(name);
  }

  private static long atLeast0(long amount) {
    if (amount < 0) throw new IllegalArgumentException("the amount is below 0: " + amount);
    return amount;
  }
}
