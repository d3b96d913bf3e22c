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

const (
	bufferFirst = 2 << 10 // initial size of a connection's read buffer
	bufferKept  = HeadMax // a larger buffer is dropped after the request
)

// conn is a connection. Its goroutine owns all fields but state, and owns those that watch writes once watch has ended.
type conn struct {
	server *Server
	net    net.Conn
	remote string
	state  atomic.Uint64
	// pieces counts the beginnings and ends of writes, so it is odd while a piece is being written.
	pieces atomic.Uint64
	// stall is how long check has seen the piece that is being written. The server's lock guards it.
	stall stall

	buffer []byte
	// begin and end delimit the unused bytes in the buffer. The search for the end of the head has reached scanned, and
	// the line that it is in begins at line.
	begin, end, scanned, line int

	head     head
	header   http.Header
	values   []string
	template http.Request
	response response

	// request is the one in progress.
	request   *request
	handed    bool    // the connection was handed to net/http
	ahead     [1]byte // a byte of the next request that watch has read
	aheadLen  int
	watchDone chan struct{} // receives when watch has ended
}

func newConn(s *Server, accepted net.Conn) *conn {
	c := &conn{
		server: s, net: accepted, buffer: make([]byte, bufferFirst),
		header: http.Header{}, request: &request{}, watchDone: make(chan struct{}, 1),
	}
	c.response.conn, c.response.header = c, http.Header{}
	c.state.Store(state(readingHead, s.clock.Load()))
	return c
}

// serveRequests serves requests until the connection ends or is handed over.
func (c *conn) serveRequests() {
	defer c.leave()
	c.remote = c.net.RemoteAddr().String() // which may wait for a header of the PROXY protocol
	for {
		size, verdict := c.readHead()
		if verdict == plain {
			verdict = c.readBody(size)
		}
		switch {
		case verdict == notPlain:
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

// leave closes the connection, unless it was handed to net/http.
func (c *conn) leave() {
	c.enter(closed)
	if !c.handed {
		_ = c.net.Close()
	}
	c.request.Cancel() // in case the handler has ended the goroutine
	c.server.forget(c)
}

// verdict says what to do with the next bytes of a connection.
type verdict int

const (
	plain    verdict = iota // serve them as a request
	notPlain                // let net/http read them
	gone                    // nothing; the connection has ended
)

// readHead reads the head of the next request, and returns its size in bytes.
func (c *conn) readHead() (size int, v verdict) {
	if c.begin == c.end {
		c.begin, c.end = 0, 0
	}
	c.scanned, c.line = c.begin, c.begin
	for {
		size, may := c.scan()
		switch {
		case !may, size > HeadMax, size == 0 && c.end-c.begin > HeadMax:
			return 0, notPlain
		case size > 0:
			if !c.parse(string(c.buffer[c.begin : c.begin+size])) {
				return 0, notPlain
			}
			return size, plain
		}
		if c.begin < c.end && !c.ensurePhase(readingHead) {
			return 0, gone
		}
		if !c.read() {
			if c.begin < c.end {
				return 0, notPlain // net/http answers an incomplete head
			}
			return 0, gone
		}
	}
}

// parse parses a head, and reports whether this server serves the request.
func (c *conn) parse(text string) bool {
	if !c.head.parse(text) || !c.server.Serves(c.head.target) {
		return false
	}
	c.request = &request{conn: c}
	return c.request.parseTarget(c.head.target)
}

// ensurePhase puts the connection in a phase, unless it is in it already. It returns false if the connection is closed.
func (c *conn) ensurePhase(p phase) bool {
	if now, _ := phaseOf(c.state.Load()); now == p {
		return true
	}
	return c.enter(p) != closed
}

// scan looks for the end of the head, and returns the head's size, or 0 if the end is not there yet. may reports
// whether the request may be plain.
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

// read reads more bytes into the buffer. It may move the bytes that are there.
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

// readBody reads the body, which follows a head of size bytes. If the body is cut short, net/http answers.
func (c *conn) readBody(size int) verdict {
	for c.end-c.begin < size+int(c.head.length) {
		if !c.ensurePhase(readingBody) {
			return gone
		}
		if !c.read() {
			return notPlain
		}
	}
	return plain
}

// serve calls the handler for the request, and reports whether another request may follow.
func (c *conn) serve(content []byte) (another bool) {
	w := &c.response
	w.begin(c.head.method == http.MethodHead)
	answered := c.handle(w, c.newRequest(c.request, content))
	c.request.Cancel()
	if answered {
		w.finish()
	}
	before := c.enter(idle)
	if before == servingWatched {
		c.endWatch()
	}
	if w.deadlines {
		_ = c.net.SetDeadline(time.Time{})
	}
	return answered && before != closed && !w.last && !c.server.stopping.Load()
}

// handle calls the handler. It returns false if the handler panicked. Then the connection must be closed, so that the
// client does not take a part of the answer for the whole.
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

// watch waits for the client to leave, and then cancels the request. If a byte arrives instead, it belongs to the next
// request.
func (c *conn) watch() {
	n, err := c.net.Read(c.ahead[:])
	c.aheadLen = n
	if err != nil {
		c.request.Cancel()
	}
	c.watchDone <- struct{}{}
}

// endWatch stops watch, and puts the byte that it has read into the buffer.
func (c *conn) endWatch() {
	_ = c.net.SetReadDeadline(time.Unix(1, 0))
	<-c.watchDone
	_ = c.net.SetReadDeadline(time.Time{})
	if c.aheadLen > 0 {
		if c.end == len(c.buffer) {
			c.makeRoom()
		}
		c.buffer[c.end] = c.ahead[0]
		c.end++
		c.aheadLen = 0
	}
}

func (s *Server) logf(format string, arguments ...any) {
	if s.HTTP.ErrorLog != nil {
		s.HTTP.ErrorLog.Printf(format, arguments...)
		return
	}
	log.Printf(format, arguments...)
}
