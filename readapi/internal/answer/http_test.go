package answer_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"strata/internal/testkit/must"
	"strata/readapi/internal/answer"
)

func handler(a *answer.Answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.Serve(w, r, answer.Moment{Position: position}) })
}

// Everything as it goes over the wire, with many clients at a time.
func TestClientsGetTheBody(t *testing.T) {
	stored := must.Get(answer.Parse(answer.New(jsonConfig()).AppendBinary(nil)))(t)
	large := blocks(2 * answer.MaxBody)
	for name, c := range map[string]struct {
		answer *answer.Answer
		want   string
	}{
		"kept":     {answer.New(jsonConfig()), string(jsonConfig().Body)},
		"stored":   {stored, string(jsonConfig().Body)},
		"not kept": {jsonWith(func(c *answer.Config) { c.Class = answer.NoStore }), string(jsonConfig().Body)},
		"large":    {jsonWith(func(c *answer.Config) { c.Body = large }), string(large)},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler(c.answer))
			defer server.Close()
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			defer client.CloseIdleConnections()
			var clients sync.WaitGroup
			for i := range 24 {
				clients.Go(func() {
					encoding := []string{"", "gzip", "zstd"}[i%3]
					response := request(t, client, http.MethodGet, server.URL, http.Header{"Accept-Encoding": {encoding}})
					if response == nil {
						return
					}
					defer func() { _ = response.Body.Close() }()
					if got := response.Header.Get("Content-Encoding"); got != encoding {
						t.Errorf("got %q, want %q", got, encoding)
						return
					}
					if got := decoded(t, encoding, response.Body); got != c.want {
						t.Errorf("%q: got %d bytes, want %d", encoding, len(got), len(c.want))
					}
				})
			}
			clients.Wait()
		})
	}
}

// A client that sends back any tag it was given is told that it has the answer; the server adds nothing to that.
func TestClientRevalidates(t *testing.T) {
	server := httptest.NewServer(handler(answer.New(jsonConfig())))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for _, encoding := range []string{"", "gzip", "zstd", "br"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			first := request(t, client, method, server.URL, http.Header{"Accept-Encoding": {encoding}})
			_, _ = io.Copy(io.Discard, first.Body)
			_ = first.Body.Close()
			etag := first.Header.Get("ETag")
			if etag == "" || first.StatusCode != http.StatusOK || first.ContentLength <= 0 {
				t.Fatalf("got %d, ETag %q, length %d", first.StatusCode, etag, first.ContentLength)
			}
			second := request(t, client, method, server.URL, http.Header{"Accept-Encoding": {encoding}, "If-None-Match": {etag}})
			body, err := io.ReadAll(second.Body)
			_ = second.Body.Close()
			if err != nil || second.StatusCode != http.StatusNotModified || len(body) != 0 {
				t.Errorf("got %d with %d bytes, %v", second.StatusCode, len(body), err)
			}
			wantField(t, second.Header, "ETag", etag)
			for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Language"} {
				wantField(t, second.Header, name)
			}
		}
	}
}

func request(t *testing.T, client *http.Client, method, url string, header http.Header) *http.Response {
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Error(err)
		return nil
	}
	r.Header = header
	response, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	return response
}
