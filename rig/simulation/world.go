// Package simulation runs the whole program in a scripted world, in virtual time: a script stands between it and the database, nodes,
// gateways and clients, and decides from a seed what happens, when, and what goes wrong.
package simulation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/edge"
	"strata/internal/testkit/must"
)

// Program runs a process of the program until its context ends. It reaches the database at url, and listens at host.
type Program func(ctx context.Context, t *testing.T, host, url string, arguments []string) error

// World is a scripted world with the program in it. It lives in a bubble of testing/synctest.
type World struct {
	T      *testing.T
	Script *Script

	program   Program
	arguments []string // of the program
	network   *network
	url       *url.URL
	client    *http.Client
	running   map[int]*process
	gone      map[int]time.Time // when processes have ended
	started   int
	servers   []io.Closer // of the world, beside the program
}

// process is a process of the program.
type process struct {
	stop      context.CancelFunc
	ended     chan struct{}
	arguments []string
}

// processKey is the key of a process's number in its contexts.
type processKey struct{}

// worldNumber is the number of the one world that a process has at a time.
const worldNumber = 1

// NewWorld returns a world on the database at a URL.
func NewWorld(t *testing.T, seed uint64, databaseURL string, program Program) *World {
	t.Helper()
	db := must.Get(openControl(t.Context(), databaseURL))(t)
	config := db.conn.Config()
	s := newScript(seed, db)
	n := &network{script: s, number: worldNumber, dead: map[int]bool{}, open: map[int][]interface{ cut() }{}, dial: func(ctx context.Context) (net.Conn, error) {
		at, address := pgxAddress(config)
		return (&net.Dialer{}).DialContext(ctx, at, address)
	}}
	parsed := must.Get(url.Parse(databaseURL))(t)
	w := &World{T: t, Script: s, program: program, network: n, url: parsed, running: map[int]*process{}, gone: map[int]time.Time{}}
	w.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, address string) (net.Conn, error) { return n.Dial(ctx, address) }, DisableKeepAlives: true}}
	leave := edge.Enter(prefix(worldNumber), n)
	t.Cleanup(leave)
	return w
}

// pgxAddress returns where the server of the database listens.
func pgxAddress(config *pgx.ConnConfig) (network, address string) {
	if config.Host[0] == '/' {
		return "unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port)
	}
	return "tcp", net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
}

// Start starts a process of the program, and returns its number.
func (w *World) Start() int {
	w.started++
	number := w.started
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), processKey{}, number))
	p := &process{stop: cancel, ended: make(chan struct{}), arguments: w.arguments}
	w.running[number] = p
	host := w.network.host(number)
	query := w.url.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	to := &url.URL{Scheme: "postgres", User: w.url.User, Host: net.JoinHostPort(host, databasePort), Path: w.url.Path, RawQuery: query.Encode()}
	w.Script.tell("process %d starts %v", number, p.arguments)
	go func() {
		defer close(p.ended)
		if err := w.program(ctx, w.T, host, to.String(), p.arguments); err != nil && !w.network.isDead(number) {
			w.Script.tell("process %d has ended: %v", number, err)
		}
	}()
	return number
}

// reap takes note of processes that have ended by themselves.
func (w *World) reap() {
	for _, number := range slices.Sorted(maps.Keys(w.running)) {
		select {
		case <-w.running[number].ended:
			w.Script.Count("processes ended")
			delete(w.running, number)
			w.network.crash(number)
		default:
		}
	}
}

// Crash ends a process at once: nothing that it sends arrives any more.
func (w *World) Crash(number int) {
	w.Script.tell("process %d crashes", number)
	w.Script.Count("crashes")
	pids := w.network.crash(number)
	w.end(number)
	w.Script.db.await(pids...)
}

// Outage ends all sessions of the database, and lets none begin for a time.
func (w *World) Outage(d time.Duration) {
	w.Script.tell("the database is away for %s", d)
	w.Script.Count("outages")
	w.Script.db.await(w.network.outage(d)...)
}

// Stop lets a process end.
func (w *World) Stop(number int) {
	w.Script.tell("process %d is to end", number)
	w.end(number)
}

// goneBefore reports whether a process had ended before a time.
func (w *World) goneBefore(number int, at time.Time) bool {
	ended, ok := w.gone[number]
	return ok && ended.Before(at)
}

func (w *World) end(number int) {
	p := w.running[number]
	delete(w.running, number)
	w.gone[number] = time.Now()
	p.stop()
	w.Script.do(context.Background(), func(context.Context) { <-p.ended })
}

// End ends all processes and the world.
func (w *World) End() {
	for _, number := range slices.Sorted(maps.Keys(w.running)) {
		w.Stop(number)
	}
	w.client.CloseIdleConnections()
	for _, server := range w.servers {
		_ = server.Close()
	}
	w.Script.Run(time.Minute) // what ends in the background has time limits
	_ = w.Script.db.conn.Close(context.Background())
}

// Serve lets a server of the world answer at an address, until the world ends.
func (w *World) Serve(address string, handler http.Handler) {
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	w.servers = append(w.servers, server)
	l := w.listen(address)
	go func() { _ = server.Serve(l) }()
}

// listen listens at an address, until the world ends.
func (w *World) listen(address string) net.Listener {
	l := must.Get(w.network.Listen(address))(w.T)
	w.servers = append(w.servers, l)
	return l
}

// Reply is an answer of the program. The zero value is none.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Ask makes a request to a process, from within the world.
func (w *World) Ask(ctx context.Context, limit time.Duration, method string, process int, port, path string, header http.Header, body []byte) (r Reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+net.JoinHostPort(w.network.host(process), port)+path, bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	if header != nil {
		request.Header = header
	}
	response, err := w.client.Do(request)
	if err != nil {
		return r, err
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if w.network.isDead(process) { // nothing that it sent when it crashed has arrived
		return r, fmt.Errorf("process %d has crashed", process)
	}
	return Reply{response.StatusCode, response.Header, read}, err
}

// Do runs a client of the program, and the world around it.
func (w *World) Do(f func(ctx context.Context)) { w.Script.do(context.Background(), f) }
