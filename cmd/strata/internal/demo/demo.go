// Package demo is the command that serves a synthetic chain and shows a few answers.
package demo

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
	"os/signal"
	"strings"
	"syscall"
	"time"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/cmd/strata/internal/serve"
	"strata/cmd/strata/internal/simulate"
	"strata/internal/postgres"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/projections/version"
	"strata/readapi"
)

// Command serves a synthetic chain from a temporary database, prints a few requests with their answers, and ends.
type Command struct {
	Count uint64 `default:"450" help:"Number of events to post: an eighth of them, and at most 50, from an ordinals indexer, the others from a node."`
	Keep  bool   `help:"Keep serving afterwards, until interrupted."`
}

// mostPayloads is the largest number of events that the synthetic indexer posts.
const mostPayloads = 50

// Validate checks the flags; kong calls it.
func (c *Command) Validate() error {
	if c.Count == 0 {
		return errors.New("--count: 0 events show nothing (want 1 or more)")
	}
	return nil
}

// Shares returns how many of the events come from a node, and how many from an indexer.
func (c *Command) Shares() (posts, payloads uint64) {
	payloads = min(c.Count/8, mostPayloads)
	return c.Count - payloads, payloads
}

// Run serves a synthetic chain from a temporary database, and prints the requests of clients and auditors with their
// answers.
func (c *Command) Run(ctx context.Context, globals *program.Globals, build readapi.Version) (err error) {
	// A closed pipe must not kill the process: `strata demo | head` would leave the database behind.
	signal.Ignore(syscall.SIGPIPE)
	dir, err := postgres.MkdirTemp("strata-demo-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Println("Starting a server with a Postgres of its own in a temporary folder …")
	chain := (&simulate.Command{Seed: 7, Forks: 0.1}).Config()
	server := serve.Command{
		Database: database.Flags{DataDir: dir}, APIAddr: "127.0.0.1:0", ObserverAddr: "127.0.0.1:0",
		Roles: []string{serve.RoleObserver, serve.RoleProjector, serve.RoleAPI}, Network: chain.Network.String(), ForkChoice: "recommended",
		LagLimit: 1000,
	}
	ctx, stop := context.WithCancel(ctx)
	type addresses struct{ api, observer string }
	ready, done := make(chan addresses, 1), make(chan error, 1)
	go func() {
		logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: max(globals.LogLevel, slog.LevelError)}))
		done <- server.Serve(ctx, build, logger, func(api, observer string) { ready <- addresses{api, observer} })
	}()
	defer func() {
		stop()
		if stopped := <-done; err == nil && !errors.Is(stopped, context.Canceled) {
			err = stopped
		}
	}()
	var listening addresses
	select {
	case listening = <-ready:
	case err := <-done:
		done <- err
		return err
	}
	return c.show(ctx, chain, "http://"+listening.api, "http://"+listening.observer)
}

// show posts the chain and the feed, waits until they are folded, and prints a few answers.
func (c *Command) show(ctx context.Context, chain synthchain.Config, api, observer string) error {
	posts, payloads := c.Shares()
	fmt.Printf("Posting %d events of a node to %s (a chain with forks and Bitcoin reorganisations), and %d events of an ordinals indexer …\n", posts, observer, payloads)
	began := time.Now()
	simulation := synthchain.Simulation{Observer: observer, Chain: chain, Count: posts, Timeout: 10 * time.Second}
	if err := simulation.Run(ctx); err != nil {
		return err
	}
	indexer := simulate.Command{Seed: 7, Forks: 0.1, Gaps: 0.04}
	if payloads > 0 { // 0 would mean without end
		if err := (synthordinals.Simulation{Observer: observer, Feed: indexer.Feed(), Count: payloads, Timeout: 10 * time.Second}).Run(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("… acknowledged in %s, each after it was on disk", time.Since(began).Round(time.Millisecond))
	if err := waitCaughtUp(ctx, api); err != nil {
		return err
	}
	fmt.Printf(", and in the read tables after %s.\n", time.Since(began).Round(time.Millisecond))
	if err := c.ask(ctx, api, synthchain.New(chain).Accounts()[0]); err != nil {
		return err
	}
	if !c.Keep {
		fmt.Println("\nWith --keep, the demo keeps serving the API, its documentation and the console.")
		return nil
	}
	fmt.Printf("\nServing on %s (console at %s/console/, documentation at %s/docs) until you press Ctrl-C.\n", api, api, api)
	<-ctx.Done()
	return nil
}

// ask prints requests that a client may send, and then an auditor's: the event behind the last answer.
func (c *Command) ask(ctx context.Context, api, account string) error {
	var sources string
	for _, question := range []struct{ about, path string }{
		{"How far is the server?", "/extended/v1/status"},
		{"Which block is the tip?", "/extended/v2/blocks/latest"},
		{"Which inscription is the newest?", "/ordinals/v1/inscriptions?limit=1"},
		{"What does an account have now?", "/extended/v1/address/" + account + "/stx"},
		{"And what did it have after block 20?", "/extended/v1/address/" + account + "/stx?until_block=20"},
	} {
		answer, err := curl(ctx, question.about, api+question.path)
		if err != nil {
			return err
		}
		sources = answer.Get("Strata-Source")
	}
	if sources == "" {
		return nil // with so few events there is no block 20
	}
	source, _, _ := strings.Cut(sources, ",")
	_, err := curl(ctx, "Which event says so? (Its exact bytes are at the path in \"body\".)", api+"/audit/v1/events/"+source)
	return err
}

// waitCaughtUp returns when the read tables reflect all posted events.
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

// lag returns by how many events the slowest projection is behind. It is an error if a projection has failed.
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
				Name  string `json:"name"`
				State string `json:"state"`
				Lag   int64  `json:"lag"`
			} `json:"projections"`
		} `json:"strata"`
	}
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil {
		return 0, err
	}
	slowest := int64(0)
	for _, p := range status.Strata.Projections {
		if p.State == version.StateFailed {
			return 0, fmt.Errorf("projection %s has stopped", p.Name)
		}
		slowest = max(slowest, p.Lag)
	}
	return slowest, nil
}

// curl prints a question, the request and its answer, as curl -i would. It indents the body, and prints only the headers
// that say where the answer comes from.
func curl(ctx context.Context, about, url string) (http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	fmt.Printf("\n# %s\n$ curl -i '%s'\n%s %s\n", about, url, response.Proto, response.Status)
	for _, name := range []string{"Strata-Position", "Strata-Source"} {
		if value := response.Header.Get(name); value != "" {
			fmt.Printf("%s: %s\n", name, value)
		}
	}
	var indented bytes.Buffer
	if json.Indent(&indented, body, "", "  ") == nil {
		body = indented.Bytes()
	}
	fmt.Printf("\n%s\n", bytes.TrimSpace(body))
	return response.Header, nil
}
