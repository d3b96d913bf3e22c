package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// socketClient is a client of a WebSocket.
type socketClient struct {
	t    testing.TB
	conn *websocket.Conn
	ids  int
	// told are notifications that came before an answer.
	told []notification
}

type notification struct {
	Method string
	Params json.RawMessage
}

// dial connects. The connection ends with the test.
func dial(t testing.TB, server string) *socketClient {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(server, "http")+"/extended/v1/ws", nil) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socketClient{t: t, conn: conn}
}

func (c *socketClient) write(text string) {
	c.t.Helper()
	must.Do(c.t, c.conn.Write(c.t.Context(), websocket.MessageText, []byte(text)))
}

// read is the next message.
func (c *socketClient) read() (string, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	_, message, err := c.conn.Read(ctx)
	return string(message), err
}

func (c *socketClient) mustRead() string {
	c.t.Helper()
	text := must.Get(c.read())(c.t)
	return text
}

// call asks, and waits for the answer.
func (c *socketClient) call(method, params string) string {
	c.t.Helper()
	c.ids++
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, c.ids, method, params))
	for {
		text := c.mustRead()
		var message struct {
			notification
			ID *int
		}
		apitest.DecodeJSON(c.t, text, &message)
		if message.ID == nil {
			c.told = append(c.told, message.notification)
			continue
		}
		if *message.ID != c.ids {
			c.t.Fatalf("got the answer %s to request %d", text, c.ids)
		}
		return text
	}
}

// subscribe subscribes to an event; params name it and say what it is about.
func (c *socketClient) subscribe(params string) {
	c.t.Helper()
	if answer := c.call("subscribe", params); !strings.Contains(answer, `"result":{`) {
		c.t.Fatalf("subscribe to %s: got %s", params, answer)
	}
}

// next is the next notification.
func (c *socketClient) next() (n notification, err error) {
	if len(c.told) > 0 {
		n, c.told = c.told[0], c.told[1:]
		return n, nil
	}
	text, err := c.read()
	if err == nil {
		err = json.Unmarshal([]byte(text), &n)
	}
	return n, err
}
