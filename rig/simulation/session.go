package simulation

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"strata/internal/testkit/pgtraffic"
)

// session is a connection of the program to the database. It knows where messages begin and end
// (https://www.postgresql.org/docs/current/protocol.html). What the program writes waits until the script delivers it, and then the
// whole answer is there.
type session struct {
	script  *Script
	process int // number of the program's process
	id      int
	frozen  time.Time // until when nothing is delivered

	mu       sync.Mutex
	changed  *sync.Cond
	out      []byte // written, not delivered
	scanned  int    // of out: whole messages
	asks     []byte // types of the messages in out that have an answer
	in       []byte // answered, not read
	failed   error  // what reads return after in
	closed   bool
	waits    bool // for its turn
	read     deadline
	frontend pgtraffic.Frontend
	request  []string   // statements in out
	copying  bool       // the last statement was a COPY
	random   *rand.Rand // for what does not wait for its turn

	// For the script alone.
	server  net.Conn
	answers *bufio.Reader
	pid     uint32
	state   byte   // of the transaction, as the server says it
	expects []byte // types of delivered messages that have no answer yet
	copies  bool   // rows are copied in
	hears   bool   // it listens for notifications
	tells   bool   // its transaction may notify
	lost    bool   // the answer is to be lost
}

// errCut is what the program sees of a connection that is cut.
var errCut = fmt.Errorf("connection reset: %w", io.ErrUnexpectedEOF)

// newSession returns a session over a connection to the server.
func newSession(s *Script, process, id int, server net.Conn) *session {
	c := &session{script: s, process: process, id: id, server: server, answers: bufio.NewReaderSize(server, 64<<10), state: 'I'}
	c.random = rand.New(rand.NewPCG(s.seed, uint64(id)))
	c.changed = sync.NewCond(&c.mu)
	c.read.expired = func() { c.mu.Lock(); c.changed.Broadcast(); c.mu.Unlock() }
	return c
}

func (c *session) name() string { return fmt.Sprintf("%d/%d", c.process, c.id) }

// Write implements net.Conn.
func (c *session) Write(b []byte) (int, error) {
	c.mu.Lock()
	switch {
	case c.closed:
		c.mu.Unlock()
		return 0, net.ErrClosed
	case c.failed != nil:
		defer c.mu.Unlock()
		return 0, c.failed
	}
	c.out = append(c.out, b...)
	for c.scan() {
	}
	copies := c.copying && len(c.asks) > 0 && !c.waits
	waits := len(c.asks) > 0 && !c.waits && !copies
	c.waits = c.waits || waits
	c.mu.Unlock()
	if waits {
		c.script.wait(c)
	}
	if copies {
		c.copyNow()
	}
	return len(b), nil
}

// copyNow delivers a COPY at once: pgx waits for its answer in a way that does not count as waiting (a mutex), so no turn would ever
// come. One that waits for a lock is cut.
func (c *session) copyNow() {
	s := c.script
	now := s.count()
	switch {
	case now == lost || s.budget > 0 && c.random.IntN(10_000) < s.Faults.CutBefore:
		s.Count("requests lost")
		s.tell("%s is lost: %s", c.name(), c.describe())
		c.cut()
	case c.exchange(now == unanswered || s.budget > 0 && c.random.IntN(10_000) < s.Faults.CutAfter):
		s.tell("%s is cut, because a COPY waits for a lock", c.name())
		c.cut()
	}
}

// cancelCode is the beginning of a first message that asks the server to cancel a request of another session.
const cancelCode = 80877102

// scan looks at the next message in out, if it is whole.
func (c *session) scan() bool {
	m, size := c.frontend.Next(c.out[c.scanned:])
	c.scanned += size
	switch m.Kind {
	case 0:
		if size == 0 {
			return false
		}
		kind := byte('0')
		if binary.BigEndian.Uint32(m.Body) == cancelCode {
			kind = '!'
		}
		c.asks = append(c.asks, kind)
	case 'B':
		c.request = append(c.request, m.Text)
	case 'Q':
		c.request = append(c.request, m.Text)
		c.asks = append(c.asks, m.Kind)
		c.copying = strings.EqualFold(firstWord(m.Text), "copy")
	case 'S', 'c', 'f', 'p':
		c.asks = append(c.asks, m.Kind)
	case 'H':
		panic("the program asks for a part of an answer, which the script can't tell from the whole")
	}
	return true
}

func firstWord(s string) string { first, _, _ := strings.Cut(s, " "); return first }

// asked returns the statements that wait for their turn.
func (c *session) asked() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.request, ";") + string(c.asks)
}

// describe says what the program asks for.
func (c *session) describe() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.request) == 0 {
		return string(c.asks)
	}
	first := strings.Join(strings.Fields(c.request[0]), " ")
	if len(first) > 100 {
		first = first[:100]
	}
	if more := len(c.request) - 1; more > 0 {
		return fmt.Sprintf("%s (and %d)", first, more)
	}
	return first
}

// Read implements net.Conn.
func (c *session) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.closed:
			return 0, net.ErrClosed
		case c.read.passed():
			return 0, os.ErrDeadlineExceeded
		case len(c.in) > 0:
			n := copy(b, c.in)
			c.in = c.in[n:]
			return n, nil
		case c.failed != nil:
			return 0, c.failed
		}
		c.changed.Wait()
	}
}

// Close implements net.Conn. What the server has not got by then it never gets.
func (c *session) Close() error {
	c.end(net.ErrClosed)
	return nil
}

// cut ends the connection, as a network does.
func (c *session) cut() { c.end(errCut) }

func (c *session) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if errors.Is(err, net.ErrClosed) {
		c.closed = true
	}
	if c.failed == nil {
		c.failed, c.in = err, nil
		_ = c.server.Close()
		c.script.drop(c)
		c.script.db.forget(c)
	}
	c.changed.Broadcast()
}

// exchange delivers what the program has written, and receives the answer. It reports whether that waits for a lock.
func (c *session) exchange(lost bool) (locked bool) {
	c.mu.Lock()
	out, asks := c.out, c.asks
	timed := false
	for _, text := range c.request {
		c.hears = c.hears || strings.EqualFold(firstWord(text), "listen")
		c.tells = c.tells || strings.Contains(text, "pg_notify(")
		timed = timed || strings.Contains(text, "now()")
	}
	c.out, c.scanned, c.asks, c.request, c.waits = nil, 0, nil, nil, false
	c.expects = append(c.expects, asks...)
	c.lost = lost
	c.mu.Unlock()
	if timed {
		c.script.db.tick(time.Now())
	}
	if len(asks) > 0 && asks[0] == '0' {
		out = inWorldTime(out)
	}
	if _, err := c.server.Write(out); err != nil {
		c.cut()
		return false
	}
	return c.receive()
}

// refusable reports whether the program waits for one answer of a session that is in order.
func (c *session) refusable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.asks) == 1 && (c.asks[0] == 'Q' || c.asks[0] == 'S') && len(c.request) > 0 && c.scanned == len(c.out) && c.state != 'E'
}

// refuse puts a statement that fails in the place of what the program has written. So the server's transaction fails, too.
func (c *session) refuse(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := "DO $$BEGIN RAISE SQLSTATE '" + code + "' USING MESSAGE = 'refused by the simulation'; END$$\x00"
	c.out = append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(4+len(text))), text...)
	c.request = nil
}

// inWorldTime returns the first message of a session, in which the path of schemas begins with that of the world's clock.
func inWorldTime(start []byte) []byte {
	const name = "\x00search_path\x00"
	before, after, ok := bytes.Cut(start, []byte(name+"\x00"))
	if !ok {
		return start
	}
	start = slices.Concat(before, []byte(name+searchPath+"\x00"), after)
	binary.BigEndian.PutUint32(start, uint32(len(start)))
	return start
}

// patience is how long an answer may take before the script looks whether a lock keeps it. Everything goes on after a lock, so
// the time has no influence on what happens.
const patience = 4 * time.Millisecond

// receive receives the answers that the server owes. It reports whether one waits for a lock.
func (c *session) receive() (locked bool) {
	var all []byte
	for len(c.expects) > 0 {
		if c.expects[0] == 'c' && !c.copies || c.expects[0] == 'f' && !c.copies {
			c.expects = c.expects[1:] // the server has refused the COPY: its end has no answer
			continue
		}
		for c.answers.Buffered() == 0 {
			_ = c.server.SetReadDeadline(time.Now().Add(patience))
			_, err := c.answers.Peek(1)
			_ = c.server.SetReadDeadline(time.Time{})
			if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if c.pid != 0 && c.script.db.locked(c.pid) {
				c.pass(all)
				return true
			}
		}
		message, err := c.message()
		if err != nil {
			c.pass(all)
			c.cut()
			return false
		}
		all = append(all, message...)
		c.look(message)
	}
	if c.lost {
		c.cut()
		return false
	}
	c.pass(all)
	return false
}

// message receives one message.
func (c *session) message() ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(c.answers, head[:]); err != nil {
		return nil, err
	}
	message := make([]byte, 1+binary.BigEndian.Uint32(head[1:]))
	copy(message, head[:])
	_, err := io.ReadFull(c.answers, message[5:])
	return message, err
}

// look takes note of a message, which may complete the answer to the first request.
func (c *session) look(message []byte) {
	body := message[5:]
	complete := false
	switch message[0] {
	case 'K':
		c.pid = binary.BigEndian.Uint32(body)
		c.script.db.know(c)
	case 'R':
		code := binary.BigEndian.Uint32(body)
		complete = code != 0 && code != 12
	case 'G':
		c.copies, complete = true, c.expects[0] == 'Q'
	case 'Z':
		c.state, c.copies, complete = body[0], false, true
	}
	if complete {
		c.expects = c.expects[1:]
	}
}

// pass gives the program what the server has sent.
func (c *session) pass(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return
	}
	c.in = append(c.in, b...)
	c.changed.Broadcast()
}

// sync asks the server for an empty answer, before which it sends the notifications that there are.
func (c *session) sync() {
	if len(c.expects) > 0 || c.state != 'I' {
		return
	}
	if _, err := c.server.Write([]byte{'Q', 0, 0, 0, 5, 0}); err != nil {
		c.cut()
		return
	}
	var heard []byte
	for {
		message, err := c.message()
		if err != nil {
			c.pass(heard)
			c.cut()
			return
		}
		switch message[0] {
		case 'A':
			heard = append(heard, message...)
		case 'Z':
			c.pass(heard)
			return
		}
	}
}

// LocalAddr implements net.Conn.
func (c *session) LocalAddr() net.Addr { return c.server.LocalAddr() }

// RemoteAddr implements net.Conn.
func (c *session) RemoteAddr() net.Addr { return c.server.RemoteAddr() }

// SetDeadline implements net.Conn.
func (c *session) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements net.Conn.
func (c *session) SetReadDeadline(t time.Time) error { c.read.set(t); return nil }

// SetWriteDeadline implements net.Conn: a write never waits.
func (c *session) SetWriteDeadline(time.Time) error { return nil }

// deadline is a time after which reads fail.
type deadline struct {
	expired func()

	mu    sync.Mutex
	at    time.Time
	timer *time.Timer
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	d.at = t
	now := false
	if !t.IsZero() {
		if left := time.Until(t); left > 0 {
			d.timer = time.AfterFunc(left, d.expired)
		} else {
			now = true
		}
	}
	d.mu.Unlock()
	if now {
		d.expired()
	}
}

func (d *deadline) passed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.at.IsZero() && !time.Now().Before(d.at)
}
