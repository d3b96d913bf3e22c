package lean

import (
	"bytes"
	"log"
	"net"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Sizes of what a connection has been read of: at first, and what is kept between requests.
const (
	bufferFirst = 2 << 10
	bufferKept  = HeadMax
)

// conn is a connection. All but state belongs to its goroutine, and what watch writes to whoever has waited for it.
type conn struct {
	server *Server
	net    net.Conn
	remote string
	state  atomic.Uint64

	buffer []byte
	// begin and end are where in the buffer the bytes are that were read and not used; scanned is up to where they were
	// searched for the end of a head, and line where the last line begins.
	begin, end, scanned, line int

	head     head
	header   http.Header
	values   []string
	template http.Request
	response response

	// request is the one that is served.
	request *request
	handed  bool    // to net/http
	ahead   [1]byte // what watch has read
	aheads  int
	unwatch chan struct{} // gets something when watch has ended
}

func newConn(s *Server, accepted net.Conn) *conn {
	c := &conn{
		server: s, net: accepted, remote: accepted.RemoteAddr().String(), buffer: make([]byte, bufferFirst),
		header: http.Header{}, request: &request{}, unwatch: make(chan struct{}, 1),
	}
	c.response.conn, c.response.header = c, http.Header{}
	c.state.Store(state(reading, s.clock.Load()))
	return c
}

// converse serves requests until the connection ends or is handed over.
func (c *conn) converse() {
	defer c.leave()
	for {
		size, verdict := c.readHead()
		if verdict == plain {
			verdict = c.readBody(size)
		}
		switch {
		case verdict == foreign:
			c.handOver()
			return
		case verdict == gone, c.enter(serving) == closed:
			return
		}
		content := c.buffer[c.begin+size : c.begin+size+int(c.head.length)]
		c.begin += size + len(content)
		if !c.serve(content) {
			return
		}
		if c.begin == c.end && len(c.buffer) > bufferKept {
			c.buffer = make([]byte, bufferFirst)
		}
	}
}

// leave ends the connection, unless net/http has it now.
func (c *conn) leave() {
	c.enter(closed)
	if !c.handed {
		_ = c.net.Close()
	}
	c.request.Cancel() // where the handler has ended the goroutine
	c.server.forget(c)
}

// verdict is what becomes of what comes on a connection.
type verdict int

const (
	plain   verdict = iota // a request that is served here
	foreign                // what net/http has to read
	gone                   // nothing more
)

// readHead reads the head of the next request, and says how many bytes it has.
func (c *conn) readHead() (size int, v verdict) {
	if c.begin == c.end {
		c.begin, c.end = 0, 0
	}
	c.scanned, c.line = c.begin, c.begin
	for {
		size, may := c.scan()
		switch {
		case !may, size > HeadMax, size == 0 && c.end-c.begin > HeadMax:
			return 0, foreign
		case size > 0:
			if !c.parse(string(c.buffer[c.begin : c.begin+size])) {
				return 0, foreign
			}
			return size, plain
		}
		if c.begin < c.end && !c.waits(reading) {
			return 0, gone
		}
		if !c.read() {
			if c.begin < c.end {
				return 0, foreign // net/http knows what to say to half a head
			}
			return 0, gone
		}
	}
}

// parse reads a head, and says whether the request is served here.
func (c *conn) parse(text string) bool {
	if !c.head.parse(text) || !c.server.Serves(c.head.target) {
		return false
	}
	c.request = &request{conn: c}
	return c.request.parseTarget(c.head.target)
}

// waits puts the connection in a phase, unless it is in it already. It reports false if the connection is closed.
func (c *conn) waits(p phase) bool {
	if now, _ := phaseOf(c.state.Load()); now == p {
		return true
	}
	return c.enter(p) != closed
}

// scan looks for the end of the head: 0 if the head goes on. It also says whether the request may be plain.
func (c *conn) scan() (size int, may bool) {
	if !mayBePlain(c.buffer[c.begin:c.end]) {
		return 0, false
	}
	for {
		i := bytes.IndexByte(c.buffer[c.scanned:c.end], '\n')
		if i < 0 {
			c.scanned = c.end
			return 0, true
		}
		at := c.scanned + i
		if at == c.begin || c.buffer[at-1] != '\r' {
			return 0, false
		}
		if at-1 == c.line {
			return at + 1 - c.begin, true
		}
		c.scanned, c.line = at+1, at+1
	}
}

// read reads more into the buffer, which may move what is there.
func (c *conn) read() bool {
	if c.end == len(c.buffer) {
		c.makeRoom()
	}
	n, err := c.net.Read(c.buffer[c.end:])
	c.end += n
	return n > 0 || err == nil
}

func (c *conn) makeRoom() {
	to := c.buffer
	if c.begin == 0 {
		to = make([]byte, 2*len(c.buffer))
	}
	copy(to, c.buffer[c.begin:c.end])
	c.buffer = to
	c.end -= c.begin
	c.scanned -= c.begin
	c.line -= c.begin
	c.begin = 0
}

// readBody reads the body, which follows a head of so many bytes. net/http knows what to say when it does not come whole.
func (c *conn) readBody(size int) verdict {
	for c.end-c.begin < size+int(c.head.length) {
		if !c.waits(filling) {
			return gone
		}
		if !c.read() {
			return foreign
		}
	}
	return plain
}

// serve has the handler answer the request, and says whether another one may follow.
func (c *conn) serve(content []byte) (another bool) {
	w := &c.response
	w.begin(c.head.method == http.MethodHead)
	answered := c.handle(w, c.http(c.request, content))
	c.request.Cancel()
	if answered {
		w.finish()
	}
	before := c.enter(idle)
	if before == watched {
		c.endWatch()
	}
	if w.deadlines {
		_ = c.net.SetDeadline(time.Time{})
	}
	return answered && before != closed && !w.last && !c.server.stopping.Load()
}

// handle calls the handler. It reports false if that has panicked: then the connection ends, so that the client does not take
// what it has for the whole answer.
func (c *conn) handle(w *response, r *http.Request) (answered bool) {
	defer func() {
		if answered {
			return
		}
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			c.server.logf("http: panic serving %v: %v\n%s", c.remote, p, debug.Stack())
		}
	}()
	c.server.HTTP.Handler.ServeHTTP(w, r)
	return true
}

// watch ends the request's context when the client leaves. A byte that comes instead is the next request's.
func (c *conn) watch() {
	n, err := c.net.Read(c.ahead[:])
	c.aheads = n
	if err != nil {
		c.request.Cancel()
	}
	c.unwatch <- struct{}{}
}

// endWatch ends the watch, and keeps what it has read.
func (c *conn) endWatch() {
	_ = c.net.SetReadDeadline(time.Unix(1, 0))
	<-c.unwatch
	_ = c.net.SetReadDeadline(time.Time{})
	if c.aheads > 0 {
		if c.end == len(c.buffer) {
			c.makeRoom()
		}
		c.buffer[c.end] = c.ahead[0]
		c.end++
		c.aheads = 0
	}
}

func (s *Server) logf(format string, arguments ...any) {
	if s.HTTP.ErrorLog != nil {
		s.HTTP.ErrorLog.Printf(format, arguments...)
		return
	}
	log.Printf(format, arguments...)
}
