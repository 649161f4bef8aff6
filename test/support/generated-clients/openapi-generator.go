// A program on the Go client of openapi-generator.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"callplane.example/client"
)

func must[T any](value T, _ *http.Response, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	configuration := callplane.NewConfiguration()
	configuration.Servers = callplane.ServerConfigurations{{URL: os.Getenv("PLATFORM_URL")}}
	api := callplane.NewAPIClient(configuration)
	ctx := context.Background()

	credentials := callplane.NewLogInRequest()
	credentials.SetUsername(os.Getenv("ADMIN_USERNAME"))
	credentials.SetPassword(os.Getenv("ADMIN_PASSWORD"))
	login := must(api.AuthAPI.LogIn(ctx).LogInRequest(*credentials).Execute())
	ctx = context.WithValue(ctx, callplane.ContextAPIKeys, map[string]callplane.APIKey{
		"accessToken": {Key: login.Token}, "key": {Key: login.Key},
	})

	accounts := must(api.AccountsAPI.ListAccounts(ctx).Limit(2).Sort(`{"id":-1}`).Execute())
	order := callplane.NewOriginateCallRequest("9196")
	order.SetCallerId("1001")
	call := must(api.ChannelsAPI.OriginateCall(ctx).OriginateCallRequest(*order).Execute())
	filter := map[string]callplane.CreateHooksRequestFilterValue{"Caller-Destination-Number": {Operation: "==", Value: 9196}}
	hook := callplane.NewCreateHooksRequest("DTMF", *callplane.NewCreateHooksRequestAction("web", "POST", "http://127.0.0.1:9/"))
	hook.SetFilter(filter)
	created := must(api.HooksAPI.CreateHooks(ctx).CreateHooksRequest(*hook).Execute())
	hooks := must(api.HooksAPI.ListHooks(ctx).Execute())
	search := must(api.CdrAPI.SearchCdrs(ctx).SearchCdrsRequest(callplane.SearchCdrsRequest{}).Execute())

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"expires": login.Expires, "accounts": len(accounts.Data), "order": accounts.Order, "call": call.Info,
		"created": created.Data.InsertedIds[0], "hooks": len(hooks.Data), "hook": hooks.Data[0].Id, "total": search.Hits.Total,
	})
}
