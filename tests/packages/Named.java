import io.haft.Linear;
import io.haft.Tensor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/** The classes of the jar know the names of their parameters. */
public final class Named {
  public static void main(String[] args) throws Exception {
    Method matmul = Tensor.class.getMethod("matmul", Tensor.class);
    Constructor<?> linear = Linear.class.getConstructor(long.class, long.class);
    String names = matmul.getParameters()[0].getName() + " " + linear.getParameters()[0].getName();
    if (!names.equals("other inFeatures")) throw new AssertionError(names);
  }
}
