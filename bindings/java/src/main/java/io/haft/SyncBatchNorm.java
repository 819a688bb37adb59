package io.haft;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** Batch normalisation by the batches of all ranks together. Since 1.0. */
public final class SyncBatchNorm {
  private SyncBatchNorm() {}

  /**
   * Turns every {@link BatchNorm1d} and {@link BatchNorm2d} of a tree into one over all ranks, with the same parameters and buffers; all ranks
   * call it. The objects stay: fields and variables that hold a converted module compute over all ranks from now on. In evaluation nothing
   * changes. Hooks on the modules that are converted are left behind. The modules keep the group.
   *
   * @param root of the tree
   * @param group whose ranks' batches count together
   * @return root
   * @throws StateException a module is running
   */
  public static Module convertSyncBatchnorm(Module root, ProcessGroup group) {
    convert(root, group, Collections.newSetFromMap(new IdentityHashMap<>()), Collections.newSetFromMap(new IdentityHashMap<>()));
    return root;
  }

  // Children first: what the engine finds below a module is then what Java has no object for.
  private static void convert(Module m, ProcessGroup group, Set<Module> done, Set<Module> converted) {
    if (!done.add(m)) return;
    for (Map.Entry<String, Module> child : m.children().entrySet()) {
      convert(child.getValue(), group, done, converted);
      if (converted.contains(child.getValue())) m.addChild(child.getKey(), child.getValue());
    }
    String before = m.type();
    Module made = ParallelCalls.convertSyncBatchnorm(m, group);
    if (made.type().equals("SyncBatchNorm") && !before.equals("SyncBatchNorm")) {
      m.become(made);
      converted.add(m);
    } else {
      made.close();
    }
    m.hold(group);
  }
}
