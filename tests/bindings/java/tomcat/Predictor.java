import io.haft.*;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** A web application: a session from init to destroy, whose module is written in Java, and a leftover in every request. */
public class Predictor extends HttpServlet {
  private static final long serialVersionUID = 1;
  private transient io.haft.Module net;
  private transient InferenceSession session;

  @Override
  public void init() {
    net = new io.haft.Module() {
      @Override
      public Tensor forward(Tensor x) {
        return x.mul(2).sum();
      }
    };
    session = new InferenceSession(net, new InferenceSession.Options().workers(2).maxBatch(1));
    Haft.setLogSink(LogLevel.WARNING, (level, text) -> log(text));
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Tensor.ones(1000);  // left to the collector
    try (Scope scope = new Scope()) {
      response.getWriter().print(session.run(Tensor.ones(1, 3)).item() + " " + Haft.libraryPath());
    }
  }

  @Override
  public void destroy() {
    Haft.setLogSink(LogLevel.WARNING, null);
    session.close();
    net.close();
  }
}
