package nodehttp

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

func TestAnswers(t *testing.T) {
	ok := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
	for _, tc := range []struct {
		name, answer string
		accepted     bool
	}{
		{"small JSON", ok + "\r\n{}", true},
		{"empty without a type", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true},
		{"chunked", "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", true},
		{"keep-alive", ok + "Connection: keep-alive\r\n\r\n{}", true},
		{"created", "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", false},
		{"empty JSON", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n", false},
		{"no length", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{}", false},
		{"header twice", ok + "Vary: a\r\nvary: b\r\n\r\n{}", false},
		{"odd connection", ok + "Connection: keep-alive, Upgrade\r\n\r\n{}", false},
		{"HTML", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok", false},
		{"long headers", ok + "X: " + string(bytes.Repeat([]byte("x"), 5000)) + "\r\n\r\n{}", false},
		{"not HTTP", "220 mail.example\r\n\r\n", false},
		{"truncated", ok + "\r\n{", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := readAnswer(bufio.NewReader(strings.NewReader(tc.answer)))
			if got := err == nil; got != tc.accepted {
				t.Errorf("accepted is %v (%v), want %v", got, err, tc.accepted)
			}
		})
	}
}
