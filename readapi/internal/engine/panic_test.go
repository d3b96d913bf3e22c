package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/internal/testkit/must"
)

// described is the least that an engine needs to describe itself.
func described() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "Test", Version: "1"}, Components: &huma.Components{Schemas: NewSchemas()}},
		Formats: map[string]huma.Format{"application/json": {
			Marshal:   func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) },
			Unmarshal: json.Unmarshal,
		}},
		DefaultFormat: "application/json",
	}
}

type fruit struct {
	Name string `json:"name"`
}

// faulty is an engine with an operation that fails in one way or another.
func faulty(fail func() error) (*Engine, *bytes.Buffer) {
	log := &bytes.Buffer{}
	a := New(Config{Description: described(), Logger: slog.New(slog.NewTextHandler(log, nil))})
	GetPlain(a, Operation{ID: "fail", Path: "/fail", Tag: "Status", Summary: "Fail"}, func(context.Context, *struct{}) (*fruit, error) { return nil, fail() })
	return a, log
}

func TestFailuresSayNothingOfTheInside(t *testing.T) {
	for name, fail := range map[string]func() error{
		"panic": func() error { panic("secret") },
		"error": func() error { return errors.New("secret") },
	} {
		a, log := faulty(fail)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/fail", nil))
		id := w.Header().Get("X-Request-Id")
		want := `{"statusCode":500,"error":"Internal Server Error","message":"The request failed; the server's log has the reason under request id ` + id + `"}`
		if w.Code != http.StatusInternalServerError || w.Body.String() != want || len(id) != 16 {
			t.Errorf("%s: got %d %s, want 500 %s", name, w.Code, w.Body, want)
		}
		if n := testutil.ToFloat64(a.metrics.panics); (n == 1) != (name == "panic") {
			t.Errorf("%s: %v panics are counted", name, n)
		}
		for _, want := range []string{"level=ERROR", "secret", "id=" + id, "operation=fail"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s: the log is %s, want %s in it", name, log, want)
			}
		}
	}
}

// A panic in the middle of an answer breaks the connection: what the client has must not look like the whole.
func TestPanicWhileAnswering(t *testing.T) {
	a, _ := faulty(nil)
	a.Plain("GET /half", "half", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "half")
		panic("no more")
	})
	server := httptest.NewServer(a)
	defer server.Close()
	response, err := http.Get(server.URL + "/half")
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		_, err = io.ReadAll(response.Body)
	}
	if err == nil {
		t.Error("the answer looks complete")
	}
}

func TestClientGone(t *testing.T) {
	a, log := faulty(func() error { return context.Canceled })
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/fail", nil))
	if w.Code != statusClientGone || log.Len() > 0 {
		t.Errorf("got %d and log %s, want %d and none", w.Code, log, statusClientGone)
	}
}

// What huma refuses by itself has the shape that all errors have.
func TestErrorsOfHuma(t *testing.T) {
	a := New(Config{Description: described()})
	type input struct {
		Body struct {
			N int `json:"n"`
		}
	}
	// Registered with huma alone, past the checks in front of it.
	Serve(a, a.Endpoint(Operation{ID: "post", Path: "/post", Tag: "Status", Summary: "Post"}), func(context.Context, *input) Delivery { return Delivery{} }, reflect.TypeFor[fruit]())
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/post", strings.NewReader(`{"n":"x"}`))
	a.ServeHTTP(w, r)
	var body ErrorBody
	must.Do(t, json.Unmarshal(w.Body.Bytes(), &body))
	if w.Code != http.StatusBadRequest || body.StatusCode != w.Code || body.Code != "FST_ERR_VALIDATION" || body.Reason != "Bad Request" || !strings.HasPrefix(body.Message, "body/n ") {
		t.Errorf("got %d %s, want 400 about body/n", w.Code, w.Body)
	}
}
