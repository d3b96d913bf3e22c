package naming_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	domain "strata/domain/bns"
	"strata/eventstore"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/bns"
	"strata/projections/follow"
	"strata/projections/names"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// socket is a client of a WebSocket.
type socket struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
}

func dial(t *testing.T, url string) *socket {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	conn, response, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body != nil {
		_ = response.Body.Close()
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{t, ctx, conn}
}

func (s *socket) send(text string) {
	s.t.Helper()
	must.Do(s.t, s.conn.Write(s.ctx, websocket.MessageText, []byte(text)))
}

func (s *socket) read() string {
	s.t.Helper()
	_, text, err := s.conn.Read(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// TestSockets follows names over WebSockets and Socket.IO while blocks come, one of which is reverted in the end.
func TestSockets(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), names.New(), bns.New(domain.KnownContracts()))
	blocks, _ := synthnames.Story()
	replay.Append(t, log, blocks[0].Post())
	replay.Wait(t, log)
	wake := eventstore.NewWake(log.Pool(), follow.Channel, time.Second, nil)
	defer wake.Stop()
	_, server := apitest.NewLive(t, log.Pool(), readapi.Config{Signal: wake.C})

	// One name, one namespace, and everything.
	web := dial(t, server+"/extended/v1/ws")
	for i, params := range []string{`"name_event","name":"shop.club"`, `"namespace_event","namespace":"vip"`, `"names_event"`} {
		web.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscribe","params":{"event":%s}}`, i, params))
		if got := web.read(); !strings.Contains(got, `"result"`) {
			t.Fatalf("%s: got %s", params, got)
		}
	}
	for _, params := range []string{`"name_event"`, `"name_event","name":""`, `"namespace_event","namespace":"` + strings.Repeat("x", 65) + `"`} {
		web.send(`{"jsonrpc":"2.0","id":9,"method":"subscribe","params":{"event":` + params + `}}`)
		if got := web.read(); !strings.Contains(got, `"message":"invalid name`) {
			t.Errorf("%s: got %s", params, got)
		}
	}
	room := dial(t, server+"/socket.io/?EIO=4&transport=websocket")
	if got := room.read(); !strings.HasPrefix(got, "0{") {
		t.Fatalf("got %s", got)
	}
	room.send("40")
	room.read()
	room.send(`421["subscribe",["name-event:shop.club","namespace-event:vip","names-event"]]`)
	if got := room.read(); got != `431[null]` {
		t.Fatalf("got %s", got)
	}

	const reverted = 15 // gives old.btc away
	for _, block := range blocks[1 : reverted+1] {
		replay.Append(t, log, block.Post())
		replay.Wait(t, log)
	}
	fork := synthnames.Block{Name: "fork15", Parent: blocks[reverted-1].Name, Height: reverted, BurnHeight: blocks[reverted].BurnHeight}
	top := synthnames.Block{Name: "fork16", Parent: fork.Name, Height: reverted + 1, BurnHeight: fork.BurnHeight}
	replay.Append(t, log, fork.Post(), top.Post())

	type body struct {
		Operation string
		Name      *string
		Namespace *string
	}
	about := func(b body) string {
		return fmt.Sprint(b.Operation, " ", strings.Join([]string{text(b.Name), text(b.Namespace)}, " "))
	}
	want := map[string][]string{
		"name":      {"new-name shop.club club", "list-in-ustx shop.club club", "transfer-name shop.club club", "buy-in-ustx shop.club club", "set-primary-name shop.club club"},
		"namespace": {"namespace-reveal  vip", "launch  vip", "new-name m.vip vip", "update-zonefile m.vip vip"},
		"names": {
			"namespace-reveal  club", "new-name pearl.club club", "launch  club", "new-name name.club club", "update-zonefile name.club club", "new-name shop.club club",
			"list-in-ustx shop.club club", "transfer-name shop.club club", "buy-in-ustx shop.club club", "set-primary-name shop.club club", "namespace-reveal  vip",
			"launch  vip", "new-name m.vip vip", "update-zonefile m.vip vip", "transfer-name old.btc btc",
		},
	}
	compare := func(client string, got map[string][]string) {
		t.Helper()
		for topic, list := range want {
			check.EqualSlices(t, fmt.Sprintf("%s, %s", client, topic), got[topic], list)
		}
	}
	got := map[string][]string{}
	for {
		var m struct {
			Method string
			Params body
		}
		must.Do(t, json.Unmarshal([]byte(web.read()), &m))
		if m.Method == "revert" {
			break
		}
		topic := strings.TrimSuffix(m.Method, "_event")
		got[topic] = append(got[topic], about(m.Params))
	}
	compare("WebSocket", got)

	got = map[string][]string{}
	for {
		packet := room.read()
		if packet == "2" {
			room.send("3")
			continue
		}
		var parts []json.RawMessage
		var event string
		var b body
		if err := json.Unmarshal([]byte(strings.TrimPrefix(packet, "42")), &parts); err != nil || json.Unmarshal(parts[0], &event) != nil {
			t.Fatalf("got %s: %v", packet, err)
		}
		if event == "revert" {
			break
		}
		must.Do(t, json.Unmarshal(parts[len(parts)-1], &b))
		topic, subject, _ := strings.Cut(event, "-event")
		if len(parts) == 3 && subject != ":"+strings.Trim(string(parts[1]), `"`) || len(parts) == 2 != (subject == "") {
			t.Errorf("got packet %s", packet)
		}
		got[topic] = append(got[topic], about(b))
	}
	compare("Socket.IO", got)
}
