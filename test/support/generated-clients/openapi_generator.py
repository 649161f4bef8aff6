"""A program on the Python client of openapi-generator."""

import json
import os

import callplane_client as callplane

configuration = callplane.Configuration(host=os.environ["PLATFORM_URL"])
with callplane.ApiClient(configuration) as api:
    login = callplane.AuthApi(api).log_in(
        callplane.LogInRequest(username=os.environ["ADMIN_USERNAME"], password=os.environ["ADMIN_PASSWORD"])
    )
    configuration.api_key = {"accessToken": login.token, "key": str(login.key)}

    accounts = callplane.AccountsApi(api).list_accounts(limit=2, sort='{"id":-1}')
    order = callplane.OriginateCallRequest(called_id="9196", caller_id="1001")
    call = callplane.ChannelsApi(api).originate_call(originate_call_request=order)
    hook = callplane.CreateHooksRequest(
        event="DTMF",
        action=callplane.CreateHooksRequestAction(type="web", method="POST", url="http://127.0.0.1:9/"),
        filter={"Caller-Destination-Number": callplane.CreateHooksRequestFilterValue(operation="==", value=9196)},
    )
    created = callplane.HooksApi(api).create_hooks(create_hooks_request=hook)
    hooks = callplane.HooksApi(api).list_hooks()
    search = callplane.CdrApi(api).search_cdrs(search_cdrs_request=callplane.SearchCdrsRequest())

    print(
        json.dumps(
            {
                "expires": login.expires,
                "accounts": len(accounts.data),
                "order": accounts.order,
                "call": call.info,
                "created": created.data.inserted_ids[0],
                "hooks": len(hooks.data),
                "hook": hooks.data[0].id,
                "total": search.hits.total,
            }
        )
    )
