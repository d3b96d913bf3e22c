package admin_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"strata/projections/admin"
)

func operationsOf(item *huma.PathItem) []*huma.Operation {
	all := []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete}
	return slices.DeleteFunc(all, func(op *huma.Operation) bool { return op == nil })
}

// The description has every operation, with all its answers.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	api := admin.New(admin.Config{Version: "v1.0.0"})
	operations := map[string]bool{}
	for path, item := range api.OpenAPI().Paths {
		for _, op := range operationsOf(item) {
			operations[op.Method+" "+path] = true
		}
	}
	const root = "/admin/v1/projections"
	for _, want := range []string{
		"GET " + root, "GET " + root + "/{name}", "GET " + root + "/{name}/rebuild", "POST " + root + "/{name}/rebuild", "GET " + root + "/{name}/diff",
		"POST " + root + "/{name}/versions/{version}/verify", "POST " + root + "/{name}/versions/{version}/activate",
		"POST " + root + "/{name}/versions/{version}/throttle", "DELETE " + root + "/{name}/versions/{version}",
		"POST " + root + "/{name}/rollback", "POST " + root + "/{name}/resume",
	} {
		if !operations[want] {
			t.Errorf("%s is missing", want)
		}
	}
	for path, item := range api.OpenAPI().Paths {
		for _, op := range operationsOf(item) {
			if op.Summary == "" || op.OperationID == "" || len(op.Tags) == 0 {
				t.Errorf("%s: summary %q, id %q and tags %v, want all of them", path, op.Summary, op.OperationID, op.Tags)
			}
			for _, status := range []string{"400", "401", "403", "500", "503"} {
				if op.Responses[status] == nil {
					t.Errorf("%s %s: the description lacks the answer %s", op.Method, path, status)
				}
			}
			for _, parameter := range op.Parameters {
				if parameter.In == "path" && !parameter.Required || parameter.Description == "" {
					t.Errorf("%s %s: parameter %+v", op.Method, path, parameter)
				}
			}
		}
	}
	for path, want := range map[string]string{"/openapi.json": `"openapi":"3.1.0"`, "/openapi.yaml": "openapi: 3.1.0"} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), "Strata administration") {
			t.Errorf("%s: got %d %.200s", path, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/extended/v1/status", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("without reads: got %d, want 404", w.Code)
	}
}
