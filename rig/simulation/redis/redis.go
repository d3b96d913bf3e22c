// Package redis is a Redis of a scripted world, in the time of that world. It knows what a cache asks of one, and misbehaves by seed.
package redis

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Redis is a server with values that expire. Commands that arrive together are executed one after another, perhaps not all.
type Redis struct {
	count func(what string) // is told of finds, and of what goes wrong

	mu     sync.Mutex
	random *rand.Rand
	calm   bool
	values map[string]value
	open   map[net.Conn]bool
}

type value struct {
	content []byte
	until   time.Time // zero for ever
}

// New returns an empty Redis that misbehaves as random says.
func New(random *rand.Rand, count func(what string)) *Redis {
	return &Redis{count: count, random: random, values: map[string]value{}, open: map[net.Conn]bool{}}
}

// Calm lets it misbehave no more. What it knows by then it still knows.
func (r *Redis) Calm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calm = true
}

// Serve answers the connections that a listener accepts, until that is closed.
func (r *Redis) Serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			r.end()
			return
		}
		r.mu.Lock()
		r.open[c] = true
		r.mu.Unlock()
		go r.answer(c)
	}
}

// end closes all connections.
func (r *Redis) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		_ = c.Close()
	}
}

// answer answers what arrives by a connection: https://redis.io/docs/latest/develop/reference/protocol-spec/.
func (r *Redis) answer(c net.Conn) {
	defer func() {
		_ = c.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, c)
	}()
	in := bufio.NewReaderSize(c, 1<<20) // a write to a pipe waits until all of it is read
	for {
		command, err := receive(in)
		if err != nil {
			return
		}
		late, lost, unanswered := r.trouble()
		time.Sleep(late) // the client may have given up meanwhile, and the command is executed all the same
		if lost {
			return
		}
		reply := r.execute(command)
		if _, err = io.WriteString(c, reply); err != nil || unanswered {
			return
		}
	}
}

// receive receives a command: an array of strings.
func receive(in *bufio.Reader) (command []string, err error) {
	n, err := length(in, '*')
	for range n {
		var size int
		if size, err = length(in, '$'); err != nil {
			return nil, err
		}
		s := make([]byte, size+2)
		if _, err = io.ReadFull(in, s); err != nil {
			return nil, err
		}
		command = append(command, string(s[:size]))
	}
	return command, err
}

func length(in *bufio.Reader, kind byte) (int, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, errors.New("what is sent is no command")
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

// trouble draws what goes wrong with a command: it is executed late, it is lost, or the connection ends after it. Now and then the
// server forgets something, or everything.
func (r *Redis) trouble() (late time.Duration, lost, unanswered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calm {
		return 0, false, false
	}
	switch what := r.random.IntN(400); {
	case what < 10:
		late = []time.Duration{5 * time.Millisecond, 50 * time.Millisecond, 500 * time.Millisecond, 20 * time.Second}[r.random.IntN(4)]
		r.count("late commands of Redis")
	case what < 14:
		lost = true
		r.count("lost commands of Redis")
	case what < 18:
		unanswered = true
		r.count("connections to Redis cut")
	case what < 20:
		clear(r.values)
		r.count("restarts of Redis")
	case what < 30 && len(r.values) > 0:
		names := slices.Sorted(maps.Keys(r.values))
		delete(r.values, names[r.random.IntN(len(names))])
		r.count("values that Redis forgot")
	}
	return late, lost, unanswered
}

// execute executes a command, and returns the reply.
func (r *Redis) execute(command []string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	arguments := command[1:]
	switch name := strings.ToUpper(command[0]); {
	case name == "GET" && len(arguments) == 1:
		v, ok := r.find(arguments[0])
		if !ok {
			return "$-1\r\n"
		}
		r.count("values found in Redis")
		return fmt.Sprintf("$%d\r\n%s\r\n", len(v.content), v.content)
	case name == "SET" && len(arguments) >= 2:
		return r.set(arguments)
	case name == "EXISTS" && len(arguments) == 1:
		_, ok := r.find(arguments[0])
		return number(ok)
	case name == "PTTL" && len(arguments) == 1:
		v, ok := r.find(arguments[0])
		switch {
		case !ok:
			return ":-2\r\n"
		case v.until.IsZero():
			return ":-1\r\n"
		}
		return fmt.Sprintf(":%d\r\n", time.Until(v.until).Milliseconds())
	case name == "EVAL" && len(arguments) == 4 && strings.Contains(arguments[0], `redis.call("GET", KEYS[1]) == ARGV[1]`) &&
		strings.Contains(arguments[0], `redis.call("DEL", KEYS[1])`): // the one script there is deletes a lock that is still the holder's
		v, ok := r.find(arguments[2])
		held := ok && bytes.Equal(v.content, []byte(arguments[3]))
		if held {
			delete(r.values, arguments[2])
		}
		return number(held)
	}
	return fmt.Sprintf("-ERR unknown command '%s'\r\n", command[0]) // also HELLO: the client goes on with the protocol's second version
}

func number(yes bool) string {
	if yes {
		return ":1\r\n"
	}
	return ":0\r\n"
}

func (r *Redis) set(arguments []string) string {
	v := value{content: []byte(arguments[1])}
	for options := arguments[2:]; len(options) > 0; options = options[1:] {
		switch option := strings.ToUpper(options[0]); {
		case option == "NX":
			if _, ok := r.find(arguments[0]); ok {
				return "$-1\r\n"
			}
		case (option == "EX" || option == "PX") && len(options) > 1:
			n, err := strconv.Atoi(options[1])
			if err != nil || n <= 0 {
				return "-ERR invalid expire time in 'set' command\r\n"
			}
			unit := time.Second
			if option == "PX" {
				unit = time.Millisecond
			}
			v.until, options = time.Now().Add(time.Duration(n)*unit), options[1:]
		default:
			return "-ERR syntax error\r\n"
		}
	}
	r.values[arguments[0]] = v
	return "+OK\r\n"
}

// find returns a value that has not expired.
func (r *Redis) find(name string) (value, bool) {
	v, ok := r.values[name]
	if ok && !v.until.IsZero() && !time.Now().Before(v.until) {
		delete(r.values, name)
		return value{}, false
	}
	return v, ok
}
