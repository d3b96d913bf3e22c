package socketio

import (
	"encoding/json"
	"strings"
	"testing"

	"strata/internal/testkit/check"
)

// What a client may send.
func TestParsePacket(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want packet
		ok   bool
	}{
		{"0", packet{kind: packetConnect, namespace: "/"}, true},
		{`0{"token":"x"}`, packet{kind: packetConnect, namespace: "/", data: json.RawMessage(`{"token":"x"}`)}, true},
		{"0/other,", packet{kind: packetConnect, namespace: "/other"}, true},
		{"0/other?a=b,", packet{kind: packetConnect, namespace: "/other"}, true},
		{`2["subscribe","block"]`, packet{kind: packetEvent, namespace: "/", data: json.RawMessage(`["subscribe","block"]`)}, true},
		{`217["a"]`, packet{kind: packetEvent, namespace: "/", ack: "17", data: json.RawMessage(`["a"]`)}, true},
		{`2/x,3["a"]`, packet{kind: packetEvent, namespace: "/x", ack: "3", data: json.RawMessage(`["a"]`)}, true},
		{`31[null]`, packet{kind: packetAck, namespace: "/", ack: "1", data: json.RawMessage(`[null]`)}, true},
		{"1", packet{kind: packetDisconnect, namespace: "/"}, true},
		{"", packet{}, false},
		{"x", packet{}, false},
		{`51-["a",{"_placeholder":true,"num":0}]`, packet{}, false}, // a binary event
		{`2["a"`, packet{}, false},
		{`2` + strings.Repeat("1", 17) + `["a"]`, packet{}, false},
	} {
		got, err := parsePacket(tc.text)
		if (err == nil) != tc.ok || got.kind != tc.want.kind || got.namespace != tc.want.namespace || got.ack != tc.want.ack || string(got.data) != string(tc.want.data) {
			t.Errorf("%q: got %+v (%v), want %+v", tc.text, got, err, tc.want)
		}
	}
}

// What a client may ask for.
func TestParseRequest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		data, topics, failure string
		unsubscribe, ok       bool
	}{
		{`["subscribe","block"]`, "block", "", false, true},
		{`["unsubscribe",["block","mempool"]]`, "block mempool", "", true, true},
		{`["subscribe",[]]`, "", "", false, true},
		{`["subscribe"]`, "", "Invalid topic: none is named", false, true},
		{`["subscribe",null]`, "", "Invalid topic: want a text, or a list of texts", false, true},
		{`["subscribe",[1]]`, "", "Invalid topic: want a text, or a list of texts", false, true},
		{`["chat","hello"]`, "", "", false, false},
		{`[]`, "", "", false, false},
		{`{}`, "", "", false, false},
		{``, "", "", false, false},
	} {
		r, failure, ok := parseRequest(json.RawMessage(tc.data))
		if failure != "" {
			r.topics = nil
		}
		if got := strings.Join(r.topics, " "); got != tc.topics || failure != tc.failure || ok != tc.ok || r.unsubscribe != tc.unsubscribe {
			t.Errorf("%s: got %q, %q, %v, %v", tc.data, got, failure, r.unsubscribe, ok)
		}
	}
}

// What the server sends is what clients parse, whatever a topic is called.
func TestPackets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ got, want []byte }{
		{Event("block", nil, []byte(`{"height":1}`)), []byte(`2["block",{"height":1}]`)},
		{Event("nft-asset-event:a+b", []string{"a", `"`}, []byte(`{}`)), []byte(`2["nft-asset-event:a+b","a","\"",{}]`)},
		{connectPacket("x"), []byte(`0{"sid":"x"}`)},
		{connectErrorPacket("/", "no"), []byte(`4{"message":"no"}`)},
		{connectErrorPacket("/x", "no"), []byte(`4/x,{"message":"no"}`)},
		{ackPacket("12", ""), []byte(`312[null]`)},
		{ackPacket("1", "no"), []byte(`31["no"]`)},
	} {
		check.Equal(t, "packet", string(tc.got), string(tc.want))
	}
	if got := invalidTopic(strings.Repeat("ü", 1000)); len(got) > 300 || !json.Valid(ackPacket("1", got)[2:]) {
		t.Errorf("a long topic: got %s", got)
	}
}

// Whatever a client sends, it is parsed or refused.
func FuzzParsePacket(f *testing.F) {
	for _, seed := range []string{"0", `0/x,{"a":1}`, `21["subscribe",["block"]]`, `2/a?b,["x"]`, "1", "31[null]", "2[", "4{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePacket(text)
		if err != nil {
			return
		}
		if len(p.data) > 0 && !json.Valid(p.data) || len(p.ack) > ackDigitsMost || !strings.HasPrefix(p.namespace, root) {
			t.Errorf("%q: got %+v", text, p)
		}
		if _, failure, _ := parseRequest(p.data); failure != "" && !json.Valid(ackPacket(p.ack, failure)[1+len(p.ack):]) {
			t.Errorf("%q: the answer %q is not JSON", text, failure)
		}
	})
}
