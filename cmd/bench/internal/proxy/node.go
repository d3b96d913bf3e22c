package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	"strata/cmd/bench/internal/bench"
)

// nodeTip is the height of the newest block of the synthetic node.
const nodeTip = 5_000_000

// nodeBodies are the node's answers, by prefix of the path. The first matching prefix counts.
var nodeBodies = []struct{ prefix, body string }{
	{"/v2/info", fmt.Sprintf(`{"network_id":1,"server_version":"stacks-node 3.2.0.0.2","burn_block_height":920000,"stacks_tip_height":%d,`+
		`"stacks_tip":"%064x","stacks_tip_consensus_hash":"%040x","is_fully_synced":true}`, nodeTip, nodeTip, nodeTip)},
	{"/v2/accounts/", `{"balance":"0x0000000000000000000000003b9aca00","locked":"0x00000000000000000000000000000000","unlock_height":0,"nonce":7}`},
	{"/v2/transactions/unconfirmed/", `{"tx":"` + strings.Repeat("00", 180) + `","status":{"Mempool":null}}`},
	{"/v2/attachments/", `{"attachment":{"content":"` + strings.Repeat("7a", 64) + `"}}`},
	{"/v2/pox", `{"contract_id":"SP000000000000000000002Q6VF78.pox-4"}`},
}

// syntheticNode answers reads of a Stacks node. It reads only the first line of a request and writes prepared bytes, to
// use as little as possible of the processors that it shares with what is measured.
type syntheticNode struct {
	answers  [][]byte // by index in nodeBodies
	requests atomic.Int64
}

func newSyntheticNode() *syntheticNode {
	n := &syntheticNode{}
	for _, b := range nodeBodies {
		n.answers = append(n.answers, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nServer: stacks/3.0\r\nDate: Sat, 21 Nov 2026 18:00:00 GMT\r\n"+
			"Content-Type: application/json\r\nX-Canonical-Stacks-Tip-Height: %d\r\nX-Request-Id: 7\r\nAccess-Control-Allow-Origin: *\r\n"+
			"Access-Control-Allow-Headers: origin, content-type\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n"+
			"Connection: keep-alive\r\nContent-Length: %d\r\n\r\n%s", nodeTip, len(b.body), b.body))
	}
	return n
}

var errUnknownPath = errors.New("the synthetic node does not have this path")

// serve answers the requests on a connection.
func (n *syntheticNode) serve(conn net.Conn) error {
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		answer := n.answerTo(line)
		if answer == nil {
			return errUnknownPath
		}
		for len(line) > len("\r\n") {
			if line, err = reader.ReadSlice('\n'); err != nil {
				return err
			}
		}
		n.requests.Add(1)
		if _, err := conn.Write(answer); err != nil {
			return err
		}
	}
}

// answerTo returns the answer to a request line, or nil for an unknown path.
func (n *syntheticNode) answerTo(line []byte) []byte {
	path := bytes.TrimPrefix(line, []byte("GET "))
	for i := range nodeBodies {
		if prefix := nodeBodies[i].prefix; len(path) > len(prefix) && string(path[:len(prefix)]) == prefix {
			return n.answers[i]
		}
	}
	return nil
}

// listen serves connections, and returns the address and what ends it.
func (n *syntheticNode) listen() (address string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = n.serve(conn) }() // ends when the client closes the connection
		}
	}()
	return listener.Addr().String(), listener.Close, nil
}

// ServeNode runs the node as a helper process. It writes its address.
func ServeNode(_ context.Context, in *json.Decoder, out *json.Encoder) {
	address, stop, err := newSyntheticNode().listen()
	bench.Check(err)
	defer stop() //nolint:errcheck // the process ends
	bench.Check(out.Encode(address))
	bench.WaitForEnd(in)
}
