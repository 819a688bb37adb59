import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.Set;
import org.apache.catalina.Context;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;

/** Deploy FOLDER WORK TIMES: Tomcat with the application of a folder, deployed twice at once and again and again; Tomcat itself says whose
 * class loaders are never collected. */
public class Deploy {
  private static Context deploy(Tomcat tomcat, String path, String folder) {
    Context c = tomcat.addContext(path, folder);  // the server runs: it starts at once
    Tomcat.addServlet(c, "predict", "Predictor");
    c.addServletMappingDecoded("/predict", "predict");
    return c;
  }

  private static String ask(HttpClient client, int port, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path + "/predict")).build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200 || !answer.body().startsWith("6.0 ")) throw new AssertionError(answer.statusCode() + ": " + answer.body());
    return answer.body().substring(4);
  }

  public static void main(String[] arguments) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(arguments[1]);
    tomcat.setPort(0);
    int port = -1;
    StandardHost host = (StandardHost) tomcat.getHost();
    tomcat.getConnector();
    tomcat.start();
    port = tomcat.getConnector().getLocalPort();
    HttpClient client = HttpClient.newHttpClient();
    Set<String> engines = new HashSet<>();
    Context other = deploy(tomcat, "/other", arguments[0]);
    int times = Integer.parseInt(arguments[2]);
    for (int i = 0; i < times; i++) {
      Context c = deploy(tomcat, "/app", arguments[0]);
      for (int k = 0; k < 3; k++) engines.add(ask(client, port, "/app"));
      engines.add(ask(client, port, "/other"));
      host.removeChild(c);
    }
    host.removeChild(other);
    String[] leaked = {};
    // Threads that release memory end some seconds after the last object; the collector takes turns.
    for (int i = 0; i < 600; i++) {
      leaked = host.findReloadedContextMemoryLeaks();
      if (leaked.length == 0) break;
      Thread.sleep(50);
    }
    System.out.println(times + " deployments, engines " + engines.size() + ", " + leaked.length + " class loaders left");
    tomcat.stop();
    tomcat.destroy();
    System.exit(leaked.length == 0 && engines.size() == 1 ? 0 : 1);
  }
}
