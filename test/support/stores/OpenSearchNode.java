import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;

/**
 * One node of OpenSearch with the modules that are named by their classes, in this process. Arguments: its folder, then
 * the classes. Prints the port that it listens on, and ends with the process that started it.
 */
final class OpenSearchNode extends Node {
  private OpenSearchNode(Environment environment, List<Class<? extends Plugin>> modules) {
    super(environment, modules, false);
  }

  public static void main(String[] arguments) throws Exception {
    ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
    Path home = Path.of(arguments[0]);
    Settings settings = Settings.builder()
        .put("path.home", home.toString())
        .put("node.name", "judge")
        .put("cluster.name", "judge")
        .put("discovery.type", "single-node")
        .put("network.host", "127.0.0.1")
        .put("http.port", "0")
        .put("transport.port", "0")
        .put("node.processors", 2)
        .put("path.repo", home.resolve("snapshots").toString())
        // A disk that is nearly full is no reason to refuse writes here.
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .build();
    List<Class<? extends Plugin>> modules = new ArrayList<>();
    for (int index = 1; index < arguments.length; index++) {
      modules.add(Class.forName(arguments[index]).asSubclass(Plugin.class));
    }
    Environment environment =
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> "judge");
    Node node = new OpenSearchNode(environment, modules);
    node.start();
    int port = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    System.out.println("listening on " + port);
    Thread.currentThread().join();
  }
}
