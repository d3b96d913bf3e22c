package live

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	neturl "net/url"
	"strings"
	"time"
)

// rawSocket reads a WebSocket with as little work as possible (RFC 6455, section 5).
type rawSocket struct {
	conn  net.Conn
	bytes *bufio.Reader
}

// The opcodes of frames.
const (
	frameText  = 1
	frameClose = 8
	framePing  = 9
	framePong  = 10
)

const subscribeToBlocks = `{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"event":"block"}}`

func openSocket(location *neturl.URL) (follower, error) {
	conn, err := net.DialTimeout("tcp", location.Host, time.Minute)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "GET /extended/v1/ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", location.Host)
	if err != nil {
		return nil, err
	}
	s := &rawSocket{conn, bufio.NewReaderSize(conn, 1024)}
	status, err := s.bytes.ReadString('\n')
	if err == nil && !strings.Contains(status, " 101 ") {
		err = errors.New(strings.TrimSpace(status))
	}
	for line := ""; err == nil && line != "\r\n"; {
		line, err = s.bytes.ReadString('\n')
	}
	if err == nil {
		err = s.write(frameText, subscribeToBlocks)
	}
	if err == nil {
		err = s.message() // the answer to the subscription
	}
	return s, err
}

// write writes a frame of less than 126 bytes, masked with zeros.
func (s *rawSocket) write(opcode byte, payload string) error {
	_, err := s.conn.Write(append([]byte{0x80 | opcode, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...))
	return err
}

// message reads up to the end of the next text message, and answers pings.
func (s *rawSocket) message() error {
	for {
		opcode, payload, err := s.frame()
		switch {
		case err != nil:
			return err
		case opcode == framePing:
			if err := s.write(framePong, payload); err != nil {
				return err
			}
		case opcode == frameClose:
			return io.ErrUnexpectedEOF
		case opcode == frameText:
			return nil
		}
	}
}

// frame reads a frame. It returns the payload only of control frames.
func (s *rawSocket) frame() (opcode byte, payload string, err error) {
	var head [10]byte
	if _, err := io.ReadFull(s.bytes, head[:2]); err != nil {
		return 0, "", err
	}
	opcode = head[0] & 0xf
	size := int(head[1])
	switch size {
	case 126:
		_, err = io.ReadFull(s.bytes, head[:2])
		size = int(binary.BigEndian.Uint16(head[:]))
	case 127:
		_, err = io.ReadFull(s.bytes, head[:8])
		size = int(binary.BigEndian.Uint64(head[:]))
	}
	if err != nil {
		return 0, "", err
	}
	if opcode < frameClose {
		_, err = s.bytes.Discard(size)
		return opcode, "", err
	}
	control := make([]byte, size)
	_, err = io.ReadFull(s.bytes, control)
	return opcode, string(control), err
}

// events implements follower.
func (s *rawSocket) events(arrivals [][]int64, i int) error {
	for n := range arrivals {
		if err := s.message(); err != nil {
			return fmt.Errorf("after %d events: %w", n, err)
		}
		arrivals[n][i] = time.Now().UnixNano()
	}
	return nil
}
