package service;

import java.lang.reflect.Proxy;

/**
 * Signals of the operating system. The JDK has a class for them, sun.misc.Signal, but using it is a warning of the compiler's
 * that cannot be switched off; so it is looked up.
 */
final class Signals {
  private Signals() {}

  /**
   * Calls the action, on a thread of its own, whenever the signal comes.
   *
   * @return false when it will not: another system or virtual machine, or the process ignores it, as under nohup
   */
  static boolean on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal"), handler = Class.forName("sun.misc.SignalHandler");
      ClassLoader loader = Signals.class.getClassLoader();
      Object call = Proxy.newProxyInstance(loader, new Class<?>[] {handler}, (proxy, method, values) -> {
        if (method.getName().equals("handle")) action.run();
        return switch (method.getName()) {
          case "equals" -> proxy == values[0];
          case "hashCode" -> System.identityHashCode(proxy);
          case "toString" -> "handler of SIG" + name;
          default -> null;
        };
      });
      Object number = signal.getConstructor(String.class).newInstance(name);
      Object before = signal.getMethod("handle", signal, handler).invoke(null, number, call);
      return before != handler.getField("SIG_IGN").get(null);
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
