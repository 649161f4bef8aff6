// A program on the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"callplane.example/client"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func pointer[T any](value T) *T { return &value }

func main() {
	ctx := context.Background()
	open := must(callplane.NewClientWithResponses(os.Getenv("PLATFORM_URL")))
	login := must(open.LogInWithResponse(ctx, callplane.LogInJSONRequestBody{
		Username: pointer(os.Getenv("ADMIN_USERNAME")), Password: pointer(os.Getenv("ADMIN_PASSWORD")),
	})).JSON200
	credential := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Access-Token", login.Token)
		request.Header.Set("X-Key", login.Key.String())
		return nil
	}
	api := must(callplane.NewClientWithResponses(os.Getenv("PLATFORM_URL"), callplane.WithRequestEditorFn(credential)))

	accounts := must(api.ListAccountsWithResponse(ctx, &callplane.ListAccountsParams{
		Limit: pointer(int64(2)), Sort: pointer(`{"id":-1}`),
	})).JSON200
	call := must(api.OriginateCallWithResponse(ctx, &callplane.OriginateCallParams{}, callplane.OriginateCallJSONRequestBody{
		CalledId: "9196", CallerId: pointer("1001"),
	})).JSON200
	var hook callplane.CreateHooksJSONRequestBody
	hook.Event = "DTMF"
	hook.Action.Type = "web"
	hook.Action.Method = "POST"
	hook.Action.Url = "http://127.0.0.1:9/"
	created := must(api.CreateHooksWithResponse(ctx, &callplane.CreateHooksParams{}, hook)).JSON200
	hooks := must(api.ListHooksWithResponse(ctx, &callplane.ListHooksParams{})).JSON200
	search := must(api.SearchCdrsWithResponse(ctx, &callplane.SearchCdrsParams{}, callplane.SearchCdrsJSONRequestBody{})).JSON200

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"expires": login.Expires, "accounts": len(accounts.Data), "order": accounts.Order, "call": call.Info,
		"created": created.Data.InsertedIds[0], "hooks": len(hooks.Data), "hook": hooks.Data[0].UnderscoreId, "total": search.Hits.Total,
	})
}
