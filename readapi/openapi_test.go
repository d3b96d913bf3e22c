package readapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	got := s.Get("/openapi.json")
	var document struct {
		OpenAPI string
		Info    struct{ Title, Version, Description string }
		Tags    []struct{ Name, Description string }
		Paths   map[string]map[string]struct {
			OperationID          string
			Summary, Description string
			Tags                 []string
			Deprecated           bool
			Parameters           []struct {
				Name, In string
				Required bool
				Schema   map[string]any
			}
			Responses map[string]struct {
				Description string
				Content     map[string]struct{ Schema map[string]any }
			}
		}
		Components struct {
			Schemas map[string]map[string]any
		}
	}
	if err := json.Unmarshal([]byte(got.Body), &document); err != nil || got.Status != http.StatusOK {
		t.Fatalf("got %d (%v)", got.Status, err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1.") || document.Info.Title == "" || document.Info.Version != "v1.0.0" || document.Info.Description == "" {
		t.Errorf("got OpenAPI %s, info %+v", document.OpenAPI, document.Info)
	}
	var tags []string
	for _, tag := range document.Tags {
		tags = append(tags, tag.Name)
	}
	for _, path := range []string{
		"/extended", "/extended/v1/status", "/extended/v2/blocks", "/extended/v2/blocks/{height_or_hash}",
		"/extended/v1/address/{principal}/stx", "/extended/v1/address/{principal}/balances", "/extended/v2/addresses/{principal}/balances/stx",
		"/audit/v1/events/{seq}", "/audit/v1/events/{seq}/body", "/audit/v1/quarantine", "/audit/v1/negative-balances", "/audit/v1/narrow-copies", "/audit/v1/feed-anomalies", "/audit/v1/unknown-fields",
		"/metadata/v1", "/metadata/v1/ft", "/metadata/v1/search", "/metadata/v1/refresh",
		"/metadata/v1/ft/{principal}", "/metadata/v1/nft/{principal}/{token_id}", "/metadata/v1/sft/{principal}/{token_id}",
		"/metadata/v1/ft/{principal}/provenance", "/metadata/v1/nft/{principal}/{token_id}/provenance", "/metadata/v1/sft/{principal}/{token_id}/provenance",
		"/v2/transactions", "/v2/pox", "/v2/contracts/call-read/{contract_address}/{contract_name}/{function}", "/v2/fees/transaction", "/v2/accounts/{address}",
		"/ordinals/v1", "/ordinals/v1/inscriptions", "/ordinals/v1/inscriptions/transfers", "/ordinals/v1/inscriptions/{id}",
		"/ordinals/v1/inscriptions/{id}/content", "/ordinals/v1/inscriptions/{id}/transfers", "/ordinals/v1/sats/{ordinal}",
		"/ordinals/v1/sats/{ordinal}/inscriptions", "/ordinals/v1/stats/inscriptions",
		"/stream/v1/mempool", "/extended/v1/ws", "/socket.io/", "/ordinals/v1/brc-20/balances", "/proxy/v1/nodes", "/healthz", "/readyz", "/metrics",
	} {
		if document.Paths[path] == nil {
			t.Errorf("%s is missing", path)
		}
	}
	inPath := regexp.MustCompile(`\{([^}]+)\}`)
	for path, item := range document.Paths {
		for method, op := range item {
			name := method + " " + path
			if op.OperationID == "" || op.Summary == "" || len(op.Tags) == 0 {
				t.Errorf("%s: id %q, summary %q, tags %v: want all of them", name, op.OperationID, op.Summary, op.Tags)
			}
			for _, tag := range op.Tags {
				if !slices.Contains(tags, tag) {
					t.Errorf("%s: tag %s is not described", name, tag)
				}
			}
			for _, match := range inPath.FindAllStringSubmatch(path, -1) {
				found := false
				for _, p := range op.Parameters {
					found = found || p.In == "path" && p.Name == match[1] && p.Required && p.Schema != nil
				}
				if !found {
					t.Errorf("%s: parameter %s is not described", name, match[1])
				}
			}
			if op.Responses["422"].Description != "" && !strings.HasPrefix(path, "/metadata/") {
				t.Errorf("%s: has status 422", name)
			}
			for status, response := range op.Responses {
				if response.Description == "" || len(response.Content) == 0 && status != "304" && status != "302" && status != "101" {
					t.Errorf("%s: status %s is not described", name, status)
				}
				for contentType, media := range response.Content {
					if len(media.Schema) == 0 {
						t.Errorf("%s: status %s, %s: no schema", name, status, contentType)
					}
				}
			}
			success := "200"
			if op.OperationID == "refreshToken" {
				success = "202"
			}
			if op.OperationID == "websocket" {
				success = "101"
			}
			if _, ok := op.Responses[success]; !ok {
				t.Errorf("%s: no status %s", name, success)
			}
		}
	}
	for _, match := range regexp.MustCompile(`"#/components/schemas/([^"]+)"`).FindAllStringSubmatch(got.Body, -1) {
		if document.Components.Schemas[match[1]] == nil {
			t.Errorf("schema %s is missing", match[1])
		}
	}
	stx := document.Components.Schemas["StxBalance"]
	properties, _ := stx["properties"].(map[string]any)
	for _, name := range []string{"balance", "estimated_balance", "locked", "burnchain_unlock_height", "total_miner_rewards_received"} {
		if properties[name] == nil {
			t.Errorf("StxBalance has no %s: %v", name, stx)
		}
	}
	if required, _ := json.Marshal(stx["required"]); strings.Contains(string(required), "estimated") || !strings.Contains(string(required), `"locked"`) {
		t.Errorf("StxBalance requires %s", required)
	}
}

// The document that clients are generated from changes only on purpose: the one in docs is the one that is served.
func TestDescription(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder() // of an API without a version, as `strata openapi` prints it
	readapi.New(readapi.Config{}).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/openapi.yaml", nil))
	if recorder.Code != http.StatusOK {
		t.Fatalf("got status %d", recorder.Code)
	}
	kept := must.Get(os.ReadFile(filepath.Join("..", "docs", "openapi.yaml")))(t)
	if strings.TrimSpace(string(kept)) != strings.TrimSpace(recorder.Body.String()) {
		t.Error("docs/openapi.yaml is stale: run make generate")
	}
}

// The table of classes in docs/caching.md has every resource, and the class that it is served with.
func TestDocumentedClasses(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Headers map[string]struct {
					Schema struct {
						Examples []string `json:"examples"`
					} `json:"schema"`
				} `json:"headers"`
			} `json:"responses"`
		} `json:"paths"`
	}
	must.Do(t, json.Unmarshal([]byte(s.Get("/openapi.json").Body), &document))
	text := must.Get(os.ReadFile(filepath.Join("..", "docs", "caching.md")))(t)
	header := map[string]string{}
	for _, match := range regexp.MustCompile("(?m)^\\| (\\w+) \\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		header[match[1]] = match[2]
	}
	classes := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`/[^|]*`) \\| (\\w+)[^|]*\\|").FindAllStringSubmatch(string(text), -1) {
		for _, path := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			if class, repeated := classes[path[1]]; repeated {
				t.Errorf("docs/caching.md has %s twice, of class %q and of class %q", path[1], class, row[2])
			}
			classes[path[1]] = row[2]
		}
	}
	for path, operations := range document.Paths {
		if _, ok := operations["get"]; path == "/metrics" || path == "/extended/v1/ws" || path == "/socket.io/" || strings.HasPrefix(path, "/v2/") && !strings.HasPrefix(path, "/v2/prices/") || !ok {
			continue // what is a node's is in docs/proxy.md
		}
		examples := operations["get"].Responses["200"].Headers["Cache-Control"].Schema.Examples
		if len(examples) != 1 || examples[0] != header[classes[path]] {
			t.Errorf("%s: is served with %q, and documented as of class %q, %q", path, examples, classes[path], header[classes[path]])
		}
		delete(classes, path)
	}
	if len(classes) > 0 {
		t.Errorf("docs/caching.md has classes of what is not served: %v", classes)
	}
}

func TestDocumentedAnswers(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	must.Do(t, json.Unmarshal([]byte(s.Get("/openapi.json").Body), &document))
	for path, name := range map[string]string{
		"/extended":                  "StatusBody",
		"/extended/v2/blocks":        "CursorPageBlock",
		"/extended/v2/blocks/latest": "Block",
		"/extended/v1/address/" + apitest.Alice + "/stx":            "StxBalance",
		"/extended/v2/addresses/" + apitest.Alice + "/balances/stx": "StxBalanceV2",
		"/extended/v1/address/" + apitest.Alice + "/balances":       "Balances",
		"/audit/v1/events/1":          "AuditEvent",
		"/audit/v1/negative-balances": "KeyPageNegativeBalance",
		"/audit/v1/narrow-copies":     "KeyPageNarrowCopy",
		"/audit/v1/feed-anomalies":    "KeyPageFeedAnomaly",
		"/audit/v1/unknown-fields":    "KeyPageUnknownField",
		"/audit/v1/quarantine":        "KeyPageQuarantined",
		"/readyz":                     "Readiness",
		"/healthz":                    "Health",
	} {
		apitest.Matches(t, document.Components.Schemas, document.Components.Schemas[name], s.Object(path), path)
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	if got := s.Get("/doc"); got.Status != http.StatusMovedPermanently || got.Header.Get("Location") != "/docs" {
		t.Errorf("/doc: got %d to %q, want 301 to /docs", got.Status, got.Header.Get("Location"))
	}
	for _, path := range []string{"/docs", "/docs/"} {
		got := s.Get(path)
		if got.Status != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d %s, want a page", path, got.Status, got.Header.Get("Content-Type"))
		}
		if external := regexp.MustCompile(`(?i)(src|href|url|import)\s*[=(]?\s*["']?(https?:)?//`).FindString(got.Body); external != "" {
			t.Errorf("%s: loads %s from elsewhere", path, external)
		}
		if !strings.Contains(got.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: got policy %q", path, got.Header.Get("Content-Security-Policy"))
		}
	}
}
