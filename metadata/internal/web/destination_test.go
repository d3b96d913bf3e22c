package web_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"strata/domain/fetch"
	"strata/metadata/internal/web"
)

// M16, M17: there is no connection to a refused destination.
func TestRefusedDestinations(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(http.StatusOK, "secret"))
	mixed := resolving("mixed.example", ips("1.1.1.1", "127.0.0.1"))
	for name, c := range map[string]struct {
		host     string
		resolver *fakeResolver
		says     string
	}{
		"loopback literal":      {"127.0.0.1", nil, "127.0.0.1"},
		"loopback in IPv6":      {"[::1]", nil, "::1"},
		"mapped loopback":       {"[::ffff:127.0.0.1]", nil, "127.0.0.1"},
		"unspecified":           {"0.0.0.0", nil, "0.0.0.0"},
		"dot at the end":        {"127.0.0.1.", nil, "127.0.0.1"},
		"wide digits":           {"１２７.0.0.1", nil, "127.0.0.1"},
		"integer":               {"2130706433", nil, "disguise"},
		"hex":                   {"0x7f000001", nil, "disguise"},
		"upper-case hex":        {"0X7F.0.0.0X1", nil, "disguise"},
		"short":                 {"127.1", nil, "disguise"},
		"octal":                 {"0177.0.0.1", nil, "disguise"},
		"huge integer":          {"99999999999999999999999999", nil, "disguise"},
		"huge hex":              {"0xffffffffffffffffffffffff", nil, "disguise"},
		"public integer":        {"134744072", nil, "disguise"},
		"cloud metadata":        {"169.254.169.254", nil, "169.254.169.254"},
		"localhost":             {"localhost", resolving("localhost", ips("127.0.0.1", "::1")), "127.0.0.1"},
		"public and private":    {"mixed.example", mixed, "127.0.0.1"},
		"mapped from a name":    {"v6.example", resolving("v6.example", ips("::ffff:127.0.0.1")), "127.0.0.1"},
		"no address":            {"empty.example", resolving("empty.example", nil), "no address"},
		"an address of no kind": {"odd.example", resolving("odd.example", []netip.Addr{{}}), "not a public"},
	} {
		t.Run(name, func(t *testing.T) {
			config := web.Config{}
			if c.resolver != nil {
				config.Resolver = c.resolver
			}
			e := getOne(t, newClient(t, config), "http://"+c.host+":"+s.port()+"/latest")
			wantFailure(t, e, fetch.FailureRefused, c.says)
			if e.Status != 0 {
				t.Errorf("got status %d from a refused host", e.Status)
			}
		})
	}
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections were made to a refused destination", n)
	}
}

// M17: a redirect into a private network is refused.
func TestRefusedRedirect(t *testing.T) {
	t.Parallel()
	inner := serve(t, answer(http.StatusOK, "secret"))
	for _, host := range []string{"127.0.0.1", "2130706433", "[::ffff:127.0.0.1]"} {
		outer := serve(t, redirect("http://user:word@"+host+":"+inner.port()+"/admin"))
		e := getOne(t, newClient(t, web.Config{AllowHosts: []string{outer.hostPort()}}), outer.URL)
		wantFailure(t, e, fetch.FailureRefused, "redirect 1, to http://"+host+":"+inner.port()+"/admin")
		if outer.requests.Load() != 1 {
			t.Errorf("%s: the first host got %d requests, want one", host, outer.requests.Load())
		}
	}
	if n := inner.connections.Load(); n != 0 {
		t.Errorf("%d connections were made to the refused destination", n)
	}
}

// A name server can't cause a connection to a private address by giving another answer the second time.
func TestRebinding(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close") // so that the second request needs a connection of its own
		_, _ = w.Write([]byte("{}"))
	})
	// 127.0.0.1 stands for a public address here, and 127.0.0.2 for a private one.
	resolver := resolving("rebind.example", ips("127.0.0.1"), ips("127.0.0.2"))
	c := newClient(t, web.Config{AllowHosts: []string{"127.0.0.1/32"}, Resolver: resolver})
	address := "http://rebind.example:" + s.port() + "/1.json"

	wantBody(t, getOne(t, c, address), "{}")
	if resolver.lookups != 1 {
		t.Fatalf("the host was resolved %d times for one connection, want once", resolver.lookups)
	}
	wantFailure(t, getOne(t, c, address), fetch.FailureRefused, "127.0.0.2")
	if n := s.requests.Load(); n != 1 {
		t.Errorf("the server saw %d requests, want 1", n)
	}
}

func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(http.StatusOK, "{}"))
	resolver := resolving("gateway.example", ips("127.0.0.1"))
	for _, c := range []struct {
		allow string
		host  string
		ok    bool
	}{
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1:" + s.port(), "127.0.0.1", true},
		{"127.0.0.1:1", "127.0.0.1", false},
		{"127.0.0.0/8", "127.0.0.1", true},
		{"127.0.0.0/8", "gateway.example", true},
		{"10.0.0.0/8", "127.0.0.1", false},
		{"Gateway.example", "gateway.EXAMPLE", true},
		{"gateway.example:" + s.port(), "gateway.example", true},
		{"gateway.example", "127.0.0.1", false},
		{"127.0.0.1", "gateway.example", false}, // an allowed host is not a range
		{"[::1]", "127.0.0.1", false},
	} {
		e := getOne(t, newClient(t, web.Config{AllowHosts: []string{c.allow}, Resolver: resolver}), "http://"+c.host+":"+s.port())
		if c.ok {
			wantBody(t, e, "{}")
		} else {
			wantFailure(t, e, fetch.FailureRefused, "not a public address")
		}
	}
}

// A proxy from the environment is not used, because it would connect to refused destinations.
func TestNoProxyFromEnvironment(t *testing.T) {
	proxy := serve(t, answer(http.StatusOK, "proxied"))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	s := serve(t, answer(http.StatusOK, "direct"))
	config := allowAll()
	config.Resolver = resolving("token.example", ips("127.0.0.1"))
	wantBody(t, getOne(t, newClient(t, config), "http://token.example:"+s.port()), "direct")
	if proxy.connections.Load() != 0 {
		t.Error("the proxy got a connection")
	}
}

func TestInvalidURLs(t *testing.T) {
	t.Parallel()
	c := newClient(t, allowAll())
	for _, address := range []string{
		"", "ftp://m.io/1.json", "file:///etc/passwd", "ipfs://cid/1", "http://", "http:///1.json", "http://:80/",
		"http:m.io", "//m.io/1.json", "http://m.io:port/", "http://m.io/%zz", "http://a b/", "javascript:alert(1)",
	} {
		wantFailure(t, getOne(t, c, address), fetch.FailureURI, "")
	}
	for _, to := range []string{"ftp://m.io/", "file:///etc/passwd", "http://user:word@:bad/", "gopher://127.0.0.1/"} {
		e := getOne(t, c, serve(t, redirect(to)).URL)
		wantFailure(t, e, fetch.FailureURI, "status 302")
		if strings.Contains(e.Error, "word") {
			t.Errorf("the error reveals a password: %s", e.Error)
		}
	}
}

func TestUnknownHost(t *testing.T) {
	t.Parallel()
	e := getOne(t, newClient(t, web.Config{Resolver: resolving("other.example")}), "http://gone.example/1.json")
	wantFailure(t, e, fetch.FailureConnection, "lookup of gone.example: no such host")
	if strings.Contains(e.Error, "192.0.2.53") {
		t.Errorf("the error names the name server: %s", e.Error)
	}
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	for _, config := range []web.Config{
		{AllowHosts: []string{"10.0.0.0/33"}},
		{AllowHosts: []string{""}},
		{GatewayHeader: map[string]http.Header{"ipfs.example": nil}},
	} {
		if err := config.Validate(); err == nil {
			t.Errorf("%+v is valid", config)
		}
	}
}
