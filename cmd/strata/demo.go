package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"strata/internal/synthchain"
)

type demoCommand struct {
	Posts uint64 `default:"400" help:"Events to make up."`
	Keep  bool   `help:"Go on serving until stopped."`
}

// Run serves a made-up chain from a database that is removed afterwards, and shows what clients and auditors ask.
func (c *demoCommand) Run(ctx context.Context, globals *Globals) (err error) {
	dir, err := os.MkdirTemp("", "strata-demo-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Postgres may have to run as another user, who must get through to its own folder below.
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	serve := serveCommand{
		databaseFlags: databaseFlags{DataDir: dir}, APIAddr: "127.0.0.1:0", ObserverAddr: "127.0.0.1:0",
		Roles: []string{roleObserver, roleProjector, roleAPI}, Network: "testnet", ForkChoice: "recommended",
		LagLimit: 1000, ShutdownGrace: 5 * time.Second,
	}
	ctx, stop := context.WithCancel(ctx)
	type addresses struct{ api, observer string }
	ready, done := make(chan addresses, 1), make(chan error, 1)
	go func() {
		logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: max(globals.LogLevel, slog.LevelError)}))
		done <- serve.serve(ctx, logger, func(api, observer string) { ready <- addresses{api, observer} })
	}()
	defer func() {
		stop()
		if stopped := <-done; err == nil && !errors.Is(stopped, context.Canceled) {
			err = stopped
		}
	}()
	var at addresses
	select {
	case at = <-ready:
	case err := <-done:
		done <- err
		return err
	}
	return c.show(ctx, "http://"+at.api, "http://"+at.observer)
}

func (c *demoCommand) show(ctx context.Context, api, observer string) error {
	made := (&simulateCommand{Seed: 7, Forks: 0.1}).config()
	fmt.Printf("A node posts %d events to %s (a chain with forks and reorganisations of Bitcoin) …\n", c.Posts, observer)
	began := time.Now()
	simulation := synthchain.Simulation{Observer: observer, Chain: made, Count: c.Posts, Timeout: 10 * time.Second}
	if err := simulation.Run(ctx); err != nil {
		return err
	}
	fmt.Printf("… acknowledged in %s.\n", time.Since(began).Round(time.Millisecond))
	if err := waitCaughtUp(ctx, api); err != nil {
		return err
	}
	account := synthchain.New(made).Accounts()[0]
	for _, path := range []string{
		"/extended/v1/status",
		"/extended/v2/blocks/latest",
		"/extended/v1/address/" + account + "/stx",
		"/extended/v1/address/" + account + "/stx?until_block=20",
		"/audit/v1/events/1",
	} {
		if err := curl(ctx, api+path); err != nil {
			return err
		}
	}
	if !c.Keep {
		fmt.Println("\nTo keep it running: strata demo --keep")
		return nil
	}
	fmt.Printf("\nServing on %s (documentation at %s/docs) until you press Ctrl-C.\n", api, api)
	<-ctx.Done()
	return nil
}

// waitCaughtUp returns when the read tables reflect everything that was posted.
func waitCaughtUp(ctx context.Context, api string) error {
	for ctx.Err() == nil {
		behind, err := lag(ctx, api)
		if err != nil {
			return err
		}
		if behind == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return ctx.Err()
}

// lag is how many events the slowest of the read tables is behind.
func lag(ctx context.Context, api string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/extended/v1/status", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	var status struct {
		Strata struct {
			Projections []struct {
				Lag int64 `json:"lag"`
			} `json:"projections"`
		} `json:"strata"`
	}
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil {
		return 0, err
	}
	slowest := int64(0)
	for _, p := range status.Strata.Projections {
		slowest = max(slowest, p.Lag)
	}
	return slowest, nil
}

// curl shows a request and its answer as curl -i would, the body indented.
func curl(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	fmt.Printf("\n$ curl -i '%s'\n%s %s\n", url, response.Proto, response.Status)
	for _, name := range []string{"Strata-Position", "Strata-Source"} {
		if value := response.Header.Get(name); value != "" {
			fmt.Printf("%s: %s\n", name, value)
		}
	}
	var indented bytes.Buffer
	if json.Indent(&indented, body, "", "  ") == nil {
		body = indented.Bytes()
	}
	fmt.Printf("%s\n", body)
	return nil
}
