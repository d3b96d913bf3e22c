package bench

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"strata/cmd/bench/internal/load"
)

// Server is a running `strata serve`.
type Server struct {
	API, Observer string // URLs
	command       *exec.Cmd
}

// Serve starts a server on a database and waits until it answers. more are further arguments.
func (b *Bench) Serve(ctx context.Context, url string, more ...string) (*Server, error) {
	api, err := FreePort()
	if err != nil {
		return nil, err
	}
	observer, err := FreePort()
	if err != nil {
		return nil, err
	}
	args := append([]string{"serve", "--database-url", url, "--data-dir", filepath.Join(b.Dir, "serve"), "--log-level", "WARN", "--public-internals",
		"--api-addr", api, "--observer-addr", observer}, more...)
	s := &Server{command: exec.CommandContext(ctx, b.Program, args...), API: "http://" + api, Observer: "http://" + observer}
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, url := range []string{s.API + "/healthz", s.Observer + "/status"} { // its roles decide which of them answers
			if response, err := http.Get(url); err == nil {
				_ = response.Body.Close()
				return s, nil
			}
		}
	}
	s.Stop()
	return nil, fmt.Errorf("strata serve did not answer on %s", s.API)
}

// Pid returns the id of the process.
func (s *Server) Pid() int { return s.command.Process.Pid }

// Contender returns a contender that makes the requests to the server's API.
func (s *Server) Contender(ctx context.Context, list *load.Requests) load.Contender {
	return load.NewContender(ctx, strings.TrimPrefix(s.API, "http://"), list)
}

// Stop ends the process.
func (s *Server) Stop() {
	_ = s.command.Process.Signal(os.Interrupt)
	_ = s.command.Wait()
}
