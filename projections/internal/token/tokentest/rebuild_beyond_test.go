package tokentest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"strata/domain/clarity"
	"strata/domain/fetch"
	domain "strata/domain/token"
	"strata/internal/synth/value"
	synthetic "strata/internal/testkit/outside"
)

// beyond runs real servers for everything that is not on the chain: two nodes, two IPFS gateways, and other hosts. They
// fail at times. Their answers depend on the number of requests, so that a second fetch gets something else.
type beyond struct {
	servers map[string]*httptest.Server
	world   synthetic.World
	supply  atomic.Uint64

	// shut says that the network is closed; intruders are the connections since.
	shut      atomic.Bool
	intruders atomic.Int64

	mu    sync.Mutex
	asked map[string]int
	busy  int       // requests that are being answered, without those that are to be answered late
	calm  sync.Cond // signalled when there are none
}

func newBeyond(t *testing.T) *beyond {
	t.Helper()
	b := &beyond{servers: map[string]*httptest.Server{}, asked: map[string]int{}}
	b.calm.L = &b.mu
	b.world.Supply = func(string) uint64 { return b.supply.Add(1) }
	b.world.LastTokenID = func(contract string) uint64 {
		if contract == alice.Contract("art") {
			return uint64(len(b.pieces()))
		}
		return 3
	}
	for name, handler := range map[string]http.HandlerFunc{
		"node": b.node, "spare": b.node, "gateway": b.gateway, "mirror": b.gateway, "web": b.web, "limited": b.limited,
	} {
		server := httptest.NewUnstartedServer(b.counted(handler))
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew && b.shut.Load() {
				b.intruders.Add(1)
			}
		}
		server.Start()
		t.Cleanup(server.Close)
		b.servers[name] = server
	}
	return b
}

func (b *beyond) url(server string) string { return b.servers[server].URL }

// close closes the network: it ends all connections, and records new ones as intruders.
func (b *beyond) close() {
	b.shut.Store(true)
	for _, server := range b.servers {
		server.CloseClientConnections()
	}
}

// knows says whether a URL belongs to one of the servers.
func (b *beyond) knows(url string) bool {
	for _, server := range b.servers {
		if strings.HasPrefix(url, server.URL+"/") {
			return true
		}
	}
	return false
}

// counted makes a handler's requests known to late.
func (b *beyond) counted(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b.count(1)
		defer b.count(-1)
		handler(w, r)
	}
}

func (b *beyond) count(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy += n; b.busy == 0 {
		b.calm.Broadcast()
	}
}

// late returns when all requests are answered that are not late themselves, so that this one is answered after them.
func (b *beyond) late() {
	b.count(-1)
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.busy > 0 {
		b.calm.Wait()
	}
	b.busy++
}

// times returns how often something was requested, including this request.
func (b *beyond) times(what string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked[what]++
	return b.asked[what]
}

// node answers read-only calls and requests of interfaces. It answers some calls late, and refuses some at first, so
// that they go to the other node.
func (b *beyond) node(w http.ResponseWriter, r *http.Request) {
	if name, ok := strings.CutPrefix(r.URL.Path, "/v2/contracts/interface/"); ok {
		if d := deployables[strings.Replace(name, "/", ".", 1)]; d.answer != nil {
			_, _ = w.Write(d.answer)
			return
		}
		http.NotFound(w, r)
		return
	}
	text, _ := io.ReadAll(r.Body)
	var call struct{ Arguments []string }
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v2/contracts/call-read/"), "/")
	if err := json.Unmarshal(text, &call); err != nil || len(parts) != 3 {
		http.Error(w, "bad call", http.StatusBadRequest)
		return
	}
	contract, function := parts[0]+"."+parts[1], parts[2]
	what := r.URL.Path + string(text)
	n := b.times(what)
	switch {
	case contract == alice.Contract("coin") && function == "get-token-uri" && n <= 2: // once for each node
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	case n == 1 && draw(30, what) == 0:
		http.Error(w, "oops", http.StatusInternalServerError)
		return
	case draw(6, what) == 1:
		b.late()
	}
	if isWrong(contract) {
		_, _ = w.Write(says(clarity.NewErr(value.Uint(1))).Body)
		return
	}
	if function == "get-token-uri" {
		id := domain.IDOf([]fetch.Call{{Function: function, Arguments: call.Arguments}})
		switch contract {
		case alice.Contract("coin"):
			_, _ = w.Write(says(clarity.NewOk(clarity.NewSome(utf8(b.url("limited") + "/coin/{id}.json")))).Body)
			return
		case alice.Contract("art"):
			if at := int(id.Int64()) - 1; at < len(b.pieces()) {
				_, _ = w.Write(says(clarity.NewOk(clarity.NewSome(utf8(b.pieces()[at])))).Body)
				return
			}
		case alice.Contract("deed"):
			_, _ = w.Write(says(clarity.NewOk(clarity.NewSome(utf8(b.url("limited") + "/deed/{id}.json")))).Body)
			return
		}
	}
	r.Body = io.NopCloser(strings.NewReader(string(text)))
	b.world.ServeHTTP(w, r)
}

// pieces returns the URIs of the documents of contract art, from token 1 on.
func (b *beyond) pieces() []string {
	var list []string
	for _, path := range []string{
		"plain", "missing", "slow", "garbage", "recovers", "cut", "large", "locales", "redirected", "stuck", "changing",
		"bad-image", "no-image", "vector", "slow-image", "busy",
	} {
		list = append(list, b.url("web")+"/"+path+"/{id}.json")
	}
	return append(list, "http://10.0.0.1/private.json", "gopher://old.test/{id}", `data:application/json,{"name":"Inline","image":"data:image/png,nothing"}`)
}

// web is a host of documents and images.
func (b *beyond) web(w http.ResponseWriter, r *http.Request) {
	kind := strings.Split(r.URL.Path, "/")[1]
	n := b.times(r.URL.Path)
	image := "ipfs://" + strings.TrimPrefix(synthetic.ImageURI(kind), "ipfs://")
	switch kind {
	case "missing":
		http.NotFound(w, r)
		return
	case "slow":
		b.late()
	case "garbage":
		_, _ = io.WriteString(w, "<html>")
		return
	case "recovers", "busy":
		if n == 1 {
			http.Error(w, "oops", http.StatusInternalServerError)
			return
		}
	case "cut":
		if n == 1 {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	case "large":
		_, _ = w.Write(make([]byte, documentLimit+1))
		return
	case "stuck":
		b.count(-1)
		<-r.Context().Done() // the client gives up
		b.count(1)
		return
	case "redirected":
		http.Redirect(w, r, "/plain/redirected.json", http.StatusFound)
		return
	case "bad-image", "no-image", "vector", "slow-image":
		image = b.url("web") + "/picture/" + kind
	case "picture":
		b.picture(w, r)
		return
	case "locales":
		if r.URL.Query().Get("locale") == "fr" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprintf(w, `{"name":"%s %d","image":%q,"localization":{"uri":"%s/locales/{id}.json?locale={locale}","default":"en","locales":["en","es","fr"]}}`,
			r.URL.RawQuery, n, image, b.url("web"))
		return
	}
	_, _ = fmt.Fprintf(w, `{"name":"%s for the %d. time","image":%q,"attributes":[{"trait_type":"times","value":%d}],}`, kind, n, image, n)
}

func (b *beyond) picture(w http.ResponseWriter, r *http.Request) {
	switch kind := strings.TrimPrefix(r.URL.Path, "/picture/"); kind {
	case "bad-image":
		_, _ = io.WriteString(w, "no pixels")
	case "no-image":
		http.NotFound(w, r)
	case "vector":
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="9" height="9"/></svg>`)
	default:
		b.late()
		_, _ = w.Write(synthetic.Image(kind))
	}
}

// limited answers the first requests with a rate limit.
func (b *beyond) limited(w http.ResponseWriter, r *http.Request) {
	if b.times("limited") == 1 {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many", http.StatusTooManyRequests)
		return
	}
	b.web(w, r)
}

// gateway serves documents and images of the contracts of the synthetic chain, but not all of them, and not always.
func (b *beyond) gateway(w http.ResponseWriter, r *http.Request) {
	n := b.times(r.Host + r.URL.Path)
	switch draw(10, r.URL.Path) {
	case 0:
		http.NotFound(w, r)
		return
	case 1:
		if n == 1 {
			http.Error(w, "oops", http.StatusBadGateway)
			return
		}
	case 2:
		_, _ = io.WriteString(w, "<html>")
		return
	case 3:
		b.late()
	}
	b.world.ServeHTTP(w, r)
}
