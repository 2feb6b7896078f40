import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.DeployApi;
import org.openapitools.client.api.HistoryApi;
import org.openapitools.client.model.*;

/**
 * An example client with the code that openapi-generator generates from /openapi.json. It publishes, redeploys, lists
 * the deploys, rolls back and prints the results as JSON. Its argument is the base URL.
 */
public class Client {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    DeployApi deploys = new DeployApi(client);
    HistoryApi history = new HistoryApi(client);

    var one = new DeployRequestFilesInnerAnyOf().path("index.html").content("<h1>One</h1>");
    var page = new DeployRequest().addFilesItem(new DeployRequestFilesInner(one));
    DeployResult first = deploys.deploy(page, null, null, null, null, null, null, null, null, null);
    String slug = first.getSlug();
    String token = first.getEditToken();
    var two = new RedeployRequestFilesInnerAnyOf().path("index.html").content("<h1>Two</h1>");
    var changed = new RedeployRequest().addFilesItem(new RedeployRequestFilesInner(two));
    DeployResult second = deploys.redeploy(slug, changed, null, null, null, null, token, null, null);
    var ids = history.listDeploys(slug, null, null, null, token, null).getItems().stream().map(Deploy::getDeployId).toList();
    RolledBack back = history.rollback(slug, new RollbackRequest().number(1), token, null, null);
    String code = "none";
    try {
      history.rollback(slug, new RollbackRequest().deployId("dep_unknown"), token, null, null);
    } catch (ApiException refused) {
      code = new ObjectMapper().readTree(refused.getResponseBody()).get("code").asText();
    }
    System.out.println(new ObjectMapper().writeValueAsString(Map.of(
        "slug", slug, "deployId", first.getDeployId(), "second", second.getDeployId(), "deploys", ids,
        "live", back.getDeployId(), "code", code)));
  }
}
