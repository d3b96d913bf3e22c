package socketio

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	engine "github.com/zishang520/socket.io/servers/engine/v3"
	"github.com/zishang520/socket.io/servers/engine/v3/transports"
	"github.com/zishang520/socket.io/v3/pkg/types"

	"strata/readapi/internal/live"
)

// session is a client's session. It lasts while the transport below changes from long polling to a WebSocket.
type session struct {
	server     *Server
	subscriber *live.Subscriber
	conn       engine.Socket
	query      url.Values // of the request that opened the session

	ended context.Context // over when nothing will be sent any more
	end   context.CancelFunc

	once   sync.Once
	closed chan struct{} // closed when the connection is; why says for which reason
	why    live.Reason

	// mu guards what the client's packets change: two requests may bring packets at the same time.
	mu         sync.Mutex
	connected  bool // to the root namespace
	subscribed map[Topic]struct{}
	reversible int // number of the reversible ones of these
}

// run sends the client's queue until the session ends.
func (s *session) run() {
	ended := endFailed
	defer func() {
		if p := recover(); p != nil {
			s.server.logPanic(p)
		}
		s.subscriber.Close(ended)
		s.conn.Close(true)
		s.server.sessions.Delete(s.conn.Id())
		s.end()
	}()
	ended = s.send()
}

// send returns why the session ends.
func (s *session) send() live.Reason {
	joined := time.NewTimer(s.server.config.ConnectTimeout)
	defer joined.Stop()
	for {
		select {
		case <-s.closed:
			return s.why
		case <-joined.C:
			s.mu.Lock()
			connected := s.connected
			s.mu.Unlock()
			if !connected {
				return endSilent
			}
		case <-s.subscriber.Wake():
			entries, reason := s.subscriber.Take()
			if ended := s.write(entries); ended != "" {
				return ended
			}
			if reason != "" {
				// Engine.IO has no reasons. Clients whose connection closes connect again, unlike those who get a packet
				// that disconnects them.
				return reason
			}
		}
	}
}

// write hands messages to the library, a chunk at a time: the next one when the client's transport has taken the last. The
// client has the write timeout for each chunk. write returns why the session ends; empty if it goes on.
func (s *session) write(entries []live.Entry) live.Reason {
	for len(entries) > 0 {
		size, n := 0, 0
		for n < len(entries) && size < chunk {
			size += len(text(entries[n]))
			n++
		}
		taken := make(chan struct{})
		for i, e := range entries[:n] {
			var sent engine.SendCallback
			if i == n-1 {
				sent = func(transports.Transport) { close(taken) }
			}
			s.conn.Send(types.NewStringBuffer(text(e)), nil, sent)
		}
		if ended := s.await(taken); ended != "" {
			return ended
		}
		entries = entries[n:]
	}
	return ""
}

// await waits until the transport has taken what was sent.
func (s *session) await(taken <-chan struct{}) live.Reason {
	timeout := time.NewTimer(s.server.config.WriteTimeout)
	defer timeout.Stop()
	// A transport that is replaced by another does not say that it has taken something. So look at the new one, too.
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for {
		select {
		case <-taken:
			return ""
		case <-look.C:
			if s.conn.Upgraded() && s.conn.Transport().Writable() {
				return ""
			}
		case <-s.closed:
			return s.why
		case <-timeout.C:
			return endStalled
		}
	}
}

// text returns the text of a message of the queue: an event, or an answer to this client alone.
func text(e live.Entry) []byte {
	if e.Event != nil {
		return e.Event()
	}
	return e.Data
}

// close notes why the connection is closed. The first reason counts.
func (s *session) close(why live.Reason) {
	s.once.Do(func() {
		s.why = why
		close(s.closed)
	})
}

// receive handles a packet of the client. What is no packet, or comes in the wrong state, ends the session.
func (s *session) receive(data any) {
	defer func() {
		if p := recover(); p != nil {
			s.server.logPanic(p)
			s.close(endFailed)
		}
	}()
	message, ok := data.(*types.StringBuffer)
	if !ok { // binary data
		s.close(endInvalid)
		return
	}
	p, err := parsePacket(message.String())
	if err != nil {
		s.close(endInvalid)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.kind == packetConnect && p.namespace != root:
		s.subscriber.Answer(connectErrorPacket(p.namespace, "Invalid namespace"))
	case p.kind == packetConnect && !s.connected:
		s.connect()
	case p.namespace != root || !s.connected || p.kind == packetConnect || p.kind == packetConnectError:
		s.close(endInvalid)
	case p.kind == packetDisconnect:
		s.close(endGone)
	case p.kind == packetEvent:
		s.event(p)
	}
}

// connect connects the client to the root namespace, with the topics that the query of its first request names.
func (s *session) connect() {
	var topics []string
	for _, list := range s.query["subscriptions"] {
		for topic := range strings.SplitSeq(list, ",") {
			if topic != "" {
				topics = append(topics, topic)
			}
		}
	}
	changes, failure := s.change(request{topics: topics})
	if failure != "" {
		s.subscriber.Answer(connectErrorPacket(root, failure))
		return
	}
	s.connected = true
	s.subscriber.Answer(connectPacket(rand.Text()), changes...)
}

// event handles an event. Those that it does not know have no effect.
func (s *session) event(p packet) {
	r, failure, ok := parseRequest(p.data)
	if !ok {
		return
	}
	var changes []live.Change
	if failure == "" {
		changes, failure = s.change(r)
	}
	switch {
	case p.ack != "":
		s.subscriber.Answer(ackPacket(p.ack, failure), changes...)
	default:
		s.subscriber.Change(changes...)
	}
}

// change subscribes or unsubscribes, and returns what that changes for the hub. If it fails, nothing has changed. What is
// subscribed already, or not subscribed at all, stays so.
func (s *session) change(r request) (changes []live.Change, failure string) {
	topics := make([]Topic, 0, len(r.topics))
	added := map[Topic]struct{}{}
	for _, name := range r.topics {
		topic, ok := s.server.config.Topic(name)
		if !ok {
			return nil, invalidTopic(name)
		}
		topics = append(topics, topic)
		if _, ok := s.subscribed[topic]; !ok {
			added[topic] = struct{}{}
		}
	}
	if most := s.server.config.TopicsMost; !r.unsubscribe && len(s.subscribed)+len(added) > most {
		return nil, fmt.Sprintf("a connection has %d subscriptions at most", most)
	}
	for _, topic := range topics {
		if _, ok := s.subscribed[topic]; ok != r.unsubscribe {
			continue
		}
		changes = append(changes, live.Change{Feed: topic.Feed, Leave: r.unsubscribe})
		if r.unsubscribe {
			delete(s.subscribed, topic)
			if topic.Reversible {
				if s.reversible--; s.reversible == 0 {
					changes = append(changes, live.Change{Feed: s.server.config.Reverts, Leave: true})
				}
			}
			continue
		}
		s.subscribed[topic] = struct{}{}
		if topic.Reversible {
			if s.reversible++; s.reversible == 1 {
				changes = append(changes, live.Change{Feed: s.server.config.Reverts})
			}
		}
	}
	return changes, ""
}

// logPanic logs a panic that ended a session.
func (s *Server) logPanic(p any) {
	s.config.Logger.LogAttrs(context.Background(), slog.LevelError, "stream handler panicked", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
}
