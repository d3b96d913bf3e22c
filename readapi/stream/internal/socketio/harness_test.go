package socketio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"strata/internal/testkit/must"
)

const path = "/socket.io/?EIO=4&transport="

// socket is a client over a WebSocket that shows packets as they are.
type socket struct {
	t    testing.TB
	conn *websocket.Conn
}

// dial opens a session, or with the id of one upgrades it.
func dial(t testing.TB, server, query string) *socket {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(server, "http")+path+"websocket"+query, nil) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{t, conn}
}

func (s *socket) write(text string) {
	s.t.Helper()
	must.Do(s.t, s.conn.Write(s.t.Context(), websocket.MessageText, []byte(text)))
}

// read is the next packet.
func (s *socket) read() (string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	_, message, err := s.conn.Read(ctx)
	return string(message), err
}

func (s *socket) want(want string) {
	s.t.Helper()
	got, err := s.read()
	if err != nil || got != want && (!strings.HasSuffix(want, "…") || !strings.HasPrefix(got, strings.TrimSuffix(want, "…"))) {
		s.t.Fatalf("got %s (%v), want %s", got, err, want)
	}
}

// connect opens a session and connects it to the namespace.
func connect(t testing.TB, server, query string) *socket {
	t.Helper()
	s := dial(t, server, query)
	s.want(`0{"…`)
	s.write("40")
	s.want(`40{"sid":"…`)
	return s
}

// request makes a request, and returns the status and the body.
func request(t testing.TB, method, url, body string) (int, string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body)))(t)
	w, err := http.DefaultClient.Do(r)
	must.Do(t, err)
	defer func() { _ = w.Body.Close() }()
	text := must.Get(io.ReadAll(w.Body))(t)
	return w.StatusCode, string(text)
}

// poll opens a session with long polling, and returns the URL of its requests.
func poll(t testing.TB, server string) (url string) {
	t.Helper()
	status, text := request(t, http.MethodGet, server+path+"polling", "")
	var opened struct {
		SID      string
		Upgrades []string
	}
	if status != http.StatusOK || !strings.HasPrefix(text, "0") || json.Unmarshal([]byte(text[1:]), &opened) != nil || fmt.Sprint(opened.Upgrades) != "[websocket]" {
		t.Fatalf("got %d %s", status, text)
	}
	return server + path + "polling&sid=" + opened.SID
}

// lines sends the lines that r has to a channel.
func lines(r io.Reader) <-chan string {
	all := make(chan string, 1000)
	go func() {
		defer close(all)
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, 16<<20)
		for scanner.Scan() {
			all <- scanner.Text()
		}
	}()
	return all
}
