package nodehttp

import (
	"bufio"
	"strings"
	"testing"
)

func newReader(s string) *bufio.Reader { return bufio.NewReader(strings.NewReader(s)) }

func FuzzReadAnswer(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
	f.Fuzz(func(t *testing.T, answer string) {
		if err := readAnswer(newReader(answer)); err == nil && !strings.HasPrefix(answer, "HTTP/1.") {
			t.Errorf("accepted %q", answer)
		}
	})
}
