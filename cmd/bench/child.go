package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// build compiles the program, so that it is measured in its own process, as users run it.
func build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "strata")
	command := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/strata")
	command.Stderr = os.Stderr
	return program, command.Run()
}

// server is a running `strata serve`.
type server struct {
	command       *exec.Cmd
	api, observer string
}

func (b *bench) serve(ctx context.Context, url string, more ...string) (*server, error) {
	api, err := freePort()
	if err != nil {
		return nil, err
	}
	observer, err := freePort()
	if err != nil {
		return nil, err
	}
	args := append([]string{"serve", "--database-url", url, "--data-dir", filepath.Join(b.dir, "serve"), "--log-level", "WARN",
		"--api-addr", api, "--observer-addr", observer}, more...)
	s := &server{command: exec.CommandContext(ctx, b.strata, args...), api: "http://" + api, observer: "http://" + observer}
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, url := range []string{s.api + "/healthz", s.observer + "/status"} { // its roles decide which of them answers
			if response, err := http.Get(url); err == nil {
				_ = response.Body.Close()
				return s, nil
			}
		}
	}
	s.stop()
	return nil, fmt.Errorf("strata serve did not answer on %s", s.api)
}

func (s *server) stop() {
	_ = s.command.Process.Signal(os.Interrupt)
	_ = s.command.Wait()
}

func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// memory samples the resident set of a process.
type memory struct {
	samples []int64 // bytes, once per second
	stop    atomic.Bool
	done    chan struct{}
}

func watchMemory(pid int) *memory {
	m := &memory{done: make(chan struct{})}
	go func() {
		defer close(m.done)
		for !m.stop.Load() {
			if rss := residentBytes(pid); rss > 0 {
				m.samples = append(m.samples, rss)
			}
			time.Sleep(time.Second)
		}
	}()
	return m
}

// summary stops the sampling and returns the maxima of the first and the second half of the time.
func (m *memory) summary() string {
	m.stop.Store(true)
	<-m.done
	most := func(samples []int64) int64 {
		var greatest int64
		for _, s := range samples {
			greatest = max(greatest, s)
		}
		return greatest >> 20
	}
	half := len(m.samples) / 2
	return fmt.Sprintf("RSS at most %d MiB in the first half, %d MiB in the second", most(m.samples[:half]), most(m.samples[half:]))
}

func residentBytes(pid int) int64 {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if fields := strings.Fields(scanner.Text()); len(fields) > 1 && fields[0] == "VmRSS:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
