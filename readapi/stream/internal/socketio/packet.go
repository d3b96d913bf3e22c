package socketio

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Types of packets (https://socket.io/docs/v4/socket-io-protocol/). Binary packets are not supported: no topic has any.
const (
	packetConnect      = '0'
	packetDisconnect   = '1'
	packetEvent        = '2'
	packetAck          = '3'
	packetConnectError = '4'
)

// root is the namespace that clients connect to unless they name another.
const root = "/"

// packet is a Socket.IO packet of a client.
type packet struct {
	kind      byte
	namespace string
	ack       string // number that the client expects in the answer to an event; empty for none
	data      json.RawMessage
}

var errPacket = errors.New("this is no Socket.IO packet")

// parsePacket parses the text form of a packet: its type, then the namespace and a comma (unless it is the root), then the
// number of the acknowledgement, then JSON. All but the type may be missing.
func parsePacket(text string) (p packet, err error) {
	if text == "" || text[0] < packetConnect || text[0] > packetConnectError {
		return p, errPacket
	}
	p, text = packet{kind: text[0], namespace: root}, text[1:]
	if strings.HasPrefix(text, "/") {
		var query string
		p.namespace, text, _ = strings.Cut(text, ",")
		if p.namespace, query, _ = strings.Cut(p.namespace, "?"); strings.ContainsAny(query, "\"[{") {
			return packet{}, errPacket // a comma within JSON has been taken for the end of the namespace
		}
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if p.kind == packetEvent || p.kind == packetAck {
		p.ack, text = text[:digits], text[digits:]
	}
	if len(p.ack) > ackDigitsMost || text != "" && !json.Valid([]byte(text)) {
		return packet{}, errPacket
	}
	p.data = json.RawMessage(text)
	return p, nil
}

// ackDigitsMost bounds the number of an acknowledgement, in digits: JavaScript counts exactly up to 2^53.
const ackDigitsMost = 16

// Event returns the text form of an event with a name and arguments. The last argument is JSON already; the others are
// text.
func Event(name string, texts []string, last []byte) []byte {
	b := make([]byte, 0, len(name)+len(last)+16+64*len(texts))
	b = appendText(append(b, packetEvent, '['), name)
	for _, text := range texts {
		b = appendText(append(b, ','), text)
	}
	b = append(append(b, ','), last...)
	return append(b, ']')
}

// appendText appends a string as JSON.
func appendText(b []byte, text string) []byte {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return append(b, encoded...)
}

// connectPacket says that the client is connected; sid names its session.
func connectPacket(sid string) []byte {
	return append(appendText([]byte(`0{"sid":`), sid), '}')
}

// connectErrorPacket says why the client is not connected to a namespace.
func connectErrorPacket(namespace, message string) []byte {
	b := []byte{packetConnectError}
	if namespace != root {
		b = append(append(b, namespace...), ',')
	}
	return append(appendText(append(b, `{"message":`...), message), '}')
}

// ackPacket answers an event: with null, or with what is wrong.
func ackPacket(number, failure string) []byte {
	b := append(append([]byte{packetAck}, number...), '[')
	if failure == "" {
		b = append(b, `null`...)
	} else {
		b = appendText(b, failure)
	}
	return append(b, ']')
}

// request is what a client asks for with an event: to subscribe to topics, or to unsubscribe.
type request struct {
	unsubscribe bool
	topics      []string
}

// parseRequest reads an event with the name subscribe or unsubscribe and a topic or a list of topics. ok is false for any
// other event; failure says what is wrong with the topics.
func parseRequest(data json.RawMessage) (r request, failure string, ok bool) {
	var parts []json.RawMessage
	var name string
	if json.Unmarshal(data, &parts) != nil || len(parts) == 0 || json.Unmarshal(parts[0], &name) != nil {
		return r, "", false
	}
	switch name {
	case "subscribe":
	case "unsubscribe":
		r.unsubscribe = true
	default:
		return r, "", false
	}
	if len(parts) < 2 {
		return r, "Invalid topic: none is named", true
	}
	var topic string
	switch {
	case json.Unmarshal(parts[1], &topic) == nil && !bytes.Equal(parts[1], []byte("null")):
		r.topics = []string{topic}
	case json.Unmarshal(parts[1], &r.topics) != nil || r.topics == nil:
		return r, "Invalid topic: want a text, or a list of texts", true
	}
	return r, "", true
}

// invalidTopic says that a topic is none.
func invalidTopic(topic string) string {
	if len(topic) > topicShownMost {
		topic = strings.ToValidUTF8(topic[:topicShownMost], "") + "… (" + strconv.Itoa(len(topic)) + " bytes)"
	}
	return "Invalid topic: " + topic
}

// topicShownMost bounds how much of an invalid topic an answer repeats, in bytes.
const topicShownMost = 256
