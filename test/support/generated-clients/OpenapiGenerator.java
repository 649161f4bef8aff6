// A program on the Java client of openapi-generator.
import java.util.LinkedHashMap;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class OpenapiGenerator {
  public static void main(String[] words) throws Exception {
    var api = new ApiClient();
    api.updateBaseUri(System.getenv("PLATFORM_URL"));
    var credentials =
        new LogInRequest().username(System.getenv("ADMIN_USERNAME")).password(System.getenv("ADMIN_PASSWORD"));
    var login = new AuthApi(api).logIn(credentials);
    api.setRequestInterceptor(
        request -> request.header("X-Access-Token", login.getToken()).header("X-Key", login.getKey().toString()));

    var accounts = new AccountsApi(api).listAccounts(null, 2L, null, null, null, "{\"id\":-1}", null);
    var order = new OriginateCallRequest().calledId("9196").callerId("1001");
    var call = new ChannelsApi(api).originateCall(order, null, null);
    var action =
        new CreateHooksRequestAction()
            .type(CreateHooksRequestAction.TypeEnum.WEB)
            .method("POST")
            .url("http://127.0.0.1:9/");
    var hook = new CreateHooksRequest().event("DTMF").action(action);
    var created = new HooksApi(api).createHooks(hook, null, null);
    var hooks = new HooksApi(api).listHooks(null, null, null, null, null, null, null);
    var search = new CdrApi(api).searchCdrs(null, null, new SearchCdrsRequest());

    Map<String, Object> found = new LinkedHashMap<>();
    found.put("expires", login.getExpires());
    found.put("accounts", accounts.getData().size());
    found.put("order", accounts.getOrder());
    found.put("call", call.getInfo());
    found.put("created", created.getData().getInsertedIds().get(0));
    found.put("hooks", hooks.getData().size());
    found.put("hook", hooks.getData().get(0).getId());
    found.put("total", search.getHits().getTotal());
    System.out.println(api.getObjectMapper().writeValueAsString(found));
  }
}
