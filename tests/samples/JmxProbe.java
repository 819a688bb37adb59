import com.sun.tools.attach.VirtualMachine;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** java JmxProbe.java PID: tells the beans of haft and of the service; then its collector runs, and it reads its models again. */
public class JmxProbe {
  public static void main(String[] arguments) throws Exception {
    VirtualMachine there = VirtualMachine.attach(arguments[0]);
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(there.startLocalManagementAgent()))) {
      MBeanServerConnection beans = connector.getMBeanServerConnection();
      for (String domain : new String[] {"io.haft:*", "service:*"})
        for (ObjectName bean : beans.queryNames(new ObjectName(domain), null)) System.out.println(bean.getCanonicalName());
      ObjectName small = new ObjectName("io.haft:type=InferenceSession,name=\"small\"");
      System.out.println("completed " + beans.getAttribute(small, "Completed"));
      beans.invoke(new ObjectName("java.lang:type=Memory"), "gc", null, null);
      beans.invoke(new ObjectName("service:type=Models"), "reload", null, null);
    } finally {
      there.detach();
    }
  }
}
