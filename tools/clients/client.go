// An example client with the code that oapi-codegen generates from /openapi.json. `go run . BASE` publishes,
// redeploys, lists the deploys, rolls back and prints the results as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	client, err := NewClientWithResponses(os.Args[1])
	check(err)
	html := strings.NewReader("<h1>One</h1>")
	first, err := client.DeployWithBodyWithResponse(ctx, &DeployParams{}, "text/html", html)
	check(err)
	site := first.JSON200
	token := site.EditToken
	var file RedeployJSONBody_Files_Item
	check(file.FromRedeployJSONBodyFiles0(RedeployJSONBodyFiles0{Path: "index.html", Content: "<h1>Two</h1>"}))
	body := RedeployJSONRequestBody{Files: []RedeployJSONBody_Files_Item{file}}
	second, err := client.RedeployWithResponse(ctx, &RedeployParams{Slug: site.Slug, XSvcEditToken: token}, body)
	check(err)
	deploys, err := client.ListDeploysWithResponse(ctx, site.Slug, &ListDeploysParams{XSvcEditToken: token})
	check(err)
	var ids []string
	for _, each := range deploys.JSON200.Items {
		ids = append(ids, each.DeployId)
	}
	one, unknownId := 1, "dep_unknown"
	params := &RollbackParams{XSvcEditToken: token}
	back, err := client.RollbackWithResponse(ctx, site.Slug, params, RollbackJSONRequestBody{Number: &one})
	check(err)
	unknown, err := client.RollbackWithResponse(ctx, site.Slug, params, RollbackJSONRequestBody{DeployId: &unknownId})
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"slug": site.Slug, "deployId": site.DeployId, "second": second.JSON200.DeployId, "deploys": ids,
		"live": back.JSON200.DeployId, "code": fmt.Sprint(unknown.ApplicationproblemJSON404.Code),
	}))
}
