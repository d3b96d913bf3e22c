package site

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// docsPage is the page that shows the operations of /openapi.json. It loads nothing from other hosts.
//
//go:embed docs.html
var docsPage []byte

// pageFields lets a page that is one file run its own script, and ask this server only.
var pageFields = []answer.Field{
	{Name: "Content-Security-Policy", Values: []string{"default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}},
	{Name: "X-Content-Type-Options", Values: []string{"nosniff"}},
}

// registerDocumentation adds the OpenAPI document and the page that shows it.
func (a *api) registerDocumentation() {
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: "/metrics", OperationID: "get-metrics", Tags: []string{"Health"}, Summary: "Metrics for Prometheus",
		Responses: map[string]*huma.Response{"200": {
			Description: "The metrics.",
			Content:     map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}, "403": {
			Description: "This address is public, and metrics are for operators (--metrics-addr, --admin-addr, --public-internals).",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: a.SchemaOf(reflect.TypeFor[engine.ErrorBody]())}},
		}},
	})
	nameSchemas(a.OpenAPI())
	a.document("/openapi.json", answer.Config{ContentType: engine.JSONType}, func() ([]byte, error) { return json.MarshalIndent(a.OpenAPI(), "", "  ") })
	a.document("/openapi-3.0.json", answer.Config{ContentType: engine.JSONType}, func() ([]byte, error) { return OpenAPI30(a.OpenAPI()) })
	a.document("/openapi.yaml", answer.Config{ContentType: "application/yaml"}, a.OpenAPI().YAML)
	// The path that some clients of the reference know.
	a.Plain("GET /doc", "doc", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/docs", http.StatusMovedPermanently)
	})
	a.document("/docs", answer.Config{ContentType: "text/html; charset=utf-8", Fields: pageFields}, func() ([]byte, error) { return docsPage, nil })
}

// document serves a text that is a part of the program. It calls text once, at the first request.
func (a *api) document(path string, c answer.Config, text func() ([]byte, error)) {
	build := sync.OnceValues(func() (*answer.Answer, error) {
		body, err := text()
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", path, err)
		}
		c.Body, c.Class = body, answer.Tip
		return answer.New(c), nil
	})
	a.Plain("GET "+path, path[1:], func(w http.ResponseWriter, r *http.Request) {
		document, err := build()
		if err != nil {
			document = a.FailureAnswer(r.Context(), err, answer.Config{})
		}
		document.Serve(w, r, answer.Moment{})
	})
}
