package serve

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/readapi"
)

// TestRosettaOffline starts a process that constructs transactions: it needs no database, and has nothing else.
func TestRosettaOffline(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	// An address that is free now: the server says only where its API is.
	free := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	own := free.Addr().String()
	must.Do(t, free.Close())
	c := &Command{APIAddr: "127.0.0.1:0", Network: "testnet", Roles: []string{RoleRosettaOffline}}
	c.RosettaAddr, c.RosettaBlockHash = own, "dialect"
	listening, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- c.Serve(ctx, readapi.Version{}, slog.New(slog.DiscardHandler), func(api, _ string) { listening <- api })
	}()
	var url string
	select {
	case address := <-listening:
		url = "http://" + address
	case err := <-ended:
		t.Fatal(err)
	}
	const request = `{"network_identifier":{"blockchain":"stacks","network":"testnet"},"public_key":{"curve_type":"secp256k1","hex_bytes":"025c13b2fc2261956d8a4ad07d481b1a3b2cbf93a24f992249a61c3a1c4de79c51"}}`
	const derived, unknown = `{"account_identifier":{"address":"ST19SH1QSCR8VMEX6SVWP33WCF08RPDY5QVHX94BM"}}`, "404 page not found"
	for path, want := range map[string]string{
		url + "/rosetta/v1/construction/derive": derived, url + "/mesh/construction/derive": derived, url + "/mesh/network/status": unknown,
		"http://" + own + "/construction/derive": derived, "http://" + own + "/network/status": unknown,
	} {
		response, err := http.Post(path, "application/json", strings.NewReader(request)) //nolint:noctx // the test's context ends with the server
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || strings.TrimSpace(string(body)) != want {
			t.Errorf("%s: got %s (%v), want %s", path, body, err, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	c.Roles = append(c.Roles, RoleAPI)
	if err := c.Serve(t.Context(), readapi.Version{}, slog.New(slog.DiscardHandler), func(string, string) {}); err == nil {
		t.Error("rosetta-offline with another role: got no error")
	}
}
