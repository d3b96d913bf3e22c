//go:build unix

package proxy

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// BenchmarkForward compares ways to send GET /v2/accounts/… to the same upstream: directly, through net/http's reverse
// proxy, and through this package.
func BenchmarkForward(b *testing.B) {
	upstream := benchmarkUpstream(b)
	target := must.Get(url.Parse(upstream))(b)
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	b.Cleanup(transport.CloseIdleConnections)
	reverse := httputil.NewSingleHostReverseProxy(target)
	reverse.Transport = transport

	b.Run("direct", func(b *testing.B) { load(b, target.Host) })
	b.Run("reverseproxy", func(b *testing.B) { load(b, serve(b, reverse)) })
	b.Run("proxy", func(b *testing.B) { load(b, serve(b, benchmarkProxy(b, upstream, Config{}))) })
	b.Run("cached", func(b *testing.B) {
		load(b, serve(b, benchmarkProxy(b, upstream, Config{Cache: newMemory()})))
	})
}

// benchmarkUpstream starts a node that costs next to nothing, because it answers every request with the same bytes, and
// returns its URL.
func benchmarkUpstream(b *testing.B) string {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(b)
	b.Cleanup(func() { _ = listener.Close() })
	account := answerBytes(`{"balance":"0x0000000000000000000000003b9aca00","locked":"0x00000000000000000000000000000000",` +
		`"unlock_height":0,"nonce":7}`)
	info := answerBytes(`{"network_id":1,"burn_block_height":800000,"stacks_tip_height":100,"stacks_tip":"` + strings.Repeat("ab", 32) +
		`","stacks_tip_consensus_hash":"` + strings.Repeat("cd", 20) + `","is_fully_synced":true}`)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = connection.Close() }()
				reader := bufio.NewReader(connection)
				for {
					line, err := reader.ReadString('\n')
					if err != nil {
						return
					}
					answer := account
					if strings.HasPrefix(line, "GET /v2/info") {
						answer = info
					}
					for line != "\r\n" {
						if line, err = reader.ReadString('\n'); err != nil {
							return
						}
					}
					if _, err := connection.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func answerBytes(body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nServer: stacks/3.0\r\nContent-Type: application/json\r\n"+
		"Date: Sat, 21 Nov 2026 18:00:00 GMT\r\nX-Canonical-Stacks-Tip-Height: 100\r\nX-Request-Id: 7\r\n"+
		"Access-Control-Allow-Origin: *\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func benchmarkProxy(b *testing.B, upstream string, config Config) *Proxy {
	config.Nodes, config.ChainID = []Node{{URL: upstream}}, chainID
	p := must.Get(New(config))(b)
	b.Cleanup(startRun(p))
	eventually.Holds(b, "the node serves", func() bool { return p.Nodes()[0].State == "serving" })
	return p
}

func serve(b *testing.B, h http.Handler) string {
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// load sends requests over 32 connections per processor with a client that costs little. Each connection requests
// another account, so that no answer can be shared.
func load(b *testing.B, address string) {
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	before := cpuTime(b)
	defer func() { b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op") }()
	b.RunParallel(func(pb *testing.PB) {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		defer func() { _ = connection.Close() }()
		reader := bufio.NewReader(connection)
		request := fmt.Appendf(nil, "GET /v2/accounts/SP%p?proof=0 HTTP/1.1\r\nHost: %s\r\nAccept: */*\r\nUser-Agent: bench\r\n\r\n", pb, address)
		for pb.Next() {
			if _, err := connection.Write(request); err != nil {
				b.Error(err)
				return
			}
			if err := readAnswer(reader); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func readAnswer(reader *bufio.Reader) error {
	length, first := 0, true
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !strings.HasPrefix(string(line), "HTTP/1.1 200") {
			return fmt.Errorf("answer begins with %q", line)
		}
		first = false
		if len(line) == 2 {
			_, err := reader.Discard(length)
			return err
		}
		if len(line) > 16 && (line[0] == 'C' || line[0] == 'c') && (line[8] == 'L' || line[8] == 'l') {
			if _, err := fmt.Sscanf(string(line[15:]), "%d", &length); err != nil {
				return err
			}
		}
	}
}
