// Package health is the command that asks a running server whether it is ready.
package health

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"strata/cmd/strata/internal/program"
)

// Command asks a running server whether it is ready, for container images that have no other program.
type Command struct {
	URL     string        `default:"http://127.0.0.1:3999/readyz" env:"STRATA_HEALTH_URL" placeholder:"URL" help:"Address to ask."`
	Timeout time.Duration `default:"5s" placeholder:"TIME" help:"Maximum time to wait for the answer (${default})."`
}

// Run fails unless the answer is 200.
func (c *Command) Run(ctx context.Context, _ *program.Globals) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", c.URL, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask %s: %w; is the server running, and does it listen there?", c.URL, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, 4096))
	return fmt.Errorf("%s answers %s: %s", c.URL, response.Status, strings.TrimSpace(string(body)))
}
