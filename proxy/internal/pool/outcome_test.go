package pool

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/must"
	"strata/proxy/internal/client"
)

// An exchange that fails says whose fault it was and whether the node has seen the request. An answer whose end is uncertain
// is no answer.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer string
		want   Outcome
	}{
		"nothing":           {"", Broken},
		"half a head":       {"HTTP/1.1 200 OK\r\nX: a\r\n", Broken},
		"half a body":       {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", Broken},
		"no last chunk":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", Broken},
		"broken chunk":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-4\r\nhalf\r\n", Malformed},
		"two lengths":       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456", Malformed},
		"unknown coding":    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", Malformed},
		"two codings":       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Malformed},
		"signed length":     {"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n12345", Malformed},
		"huge length":       {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", Malformed},
		"upgrade":           {"HTTP/1.1 101 Switching Protocols\r\n\r\n", Malformed},
		"odd status":        {"HTTP/1.1 999 What\r\n\r\n", Malformed},
		"no status":         {"HTTP/1.1 000 None\r\n\r\n", Malformed},
		"not HTTP":          {"220 mail.example ESMTP\r\n", Malformed},
		"endless head":      {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 2<<20) + "\r\n\r\n", Malformed},
		"interim for ever":  {strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100_000), Malformed},
		"unconnected":       {"", Unconnected},
		"a length and more": {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
			defer func() { _ = listener.Close() }()
			if tt.want == Unconnected {
				_ = listener.Close()
			}
			go func() {
				for {
					c, err := listener.Accept()
					if err != nil {
						return
					}
					_, _ = http.ReadRequest(bufio.NewReader(c))
					_, _ = io.WriteString(c, tt.answer)
					_ = c.Close()
				}
			}()
			node := client.New(client.Config{URL: &url.URL{Scheme: "http", Host: listener.Addr().String()}, ConnectTimeout: time.Minute})
			answer, err := node.Do(context.Background(), &client.Request{Method: http.MethodGet, Target: "/v2/info"}, time.Minute, 100)
			got := OK
			if err != nil {
				got = OfError(t.Context(), err)
			}
			if got != tt.want {
				t.Errorf("got %s (%+v, %v), want %s", got, answer, err, tt.want)
			}
		})
	}
}
