// Package trace is the command that explains a server's answer: the rows and events behind it.
package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"strata/cmd/strata/internal/program"
)

// timeout limits a request to the server.
const timeout = time.Minute

// answerMax is the number of bytes that are read of an answer. A page of 200 rows is far shorter.
const answerMax = 64 << 20

// Command is strata trace.
type Command struct {
	Target string `arg:"" name:"url|path" help:"Answer to explain: its path with query, or its full URL."`
	API    string `name:"api" default:"http://127.0.0.1:3999" env:"STRATA_API_URL" placeholder:"URL" help:"Base URL of the running server (default ${default})."`
	JSON   bool   `name:"json" help:"Print the server's JSON instead of a tree."`
	Limit  int    `default:"50" help:"Maximum number of rows per page, at most 200."`
	Proof  string `type:"path" placeholder:"FILE" help:"File to write the proof of the events to, for strata check-proof; one file for each event, with its number in the name, if there are several."`
	Cursor string `help:"Cursor of the page to print, as printed below the page before it."`
}

// Run asks a running server for the rows and events behind an answer, and prints them as a tree.
func (c *Command) Run(ctx context.Context, _ *program.Globals) error {
	server, err := url.Parse(c.API)
	if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" {
		return fmt.Errorf("--api: %q is not the address of a server, such as http://127.0.0.1:3999", c.API)
	}
	path, err := pathOn(server, c.Target)
	if err != nil {
		return err
	}
	query := url.Values{"path": {path}, "limit": {strconv.Itoa(c.Limit)}}
	if c.Cursor != "" {
		query.Set("cursor", c.Cursor)
	}
	body, err := askServer(ctx, server.JoinPath("/audit/v1/trace").String()+"?"+query.Encode())
	if err != nil {
		return fmt.Errorf("trace %s: %w", path, err)
	}
	var trace answer
	if err := json.Unmarshal(body, &trace); err != nil {
		return fmt.Errorf("trace %s: decode the answer of %s: %w", path, c.API, err)
	}
	if c.Proof != "" {
		if err := trace.writeProofs(ctx, strings.TrimSuffix(c.API, "/"), c.Proof); err != nil {
			return err
		}
	}
	if c.JSON {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, body, "", "  "); err != nil {
			return fmt.Errorf("trace %s: the answer of %s is not JSON: %w", path, c.API, err)
		}
		pretty.WriteByte('\n')
		_, err := pretty.WriteTo(os.Stdout)
		return err
	}
	return trace.write(os.Stdout, strings.TrimSuffix(c.API, "/"))
}

// pathOn returns the path and query of a target on a server. It refuses the URL of another server, whose answers are not
// in the tables of this one.
func pathOn(server *url.URL, target string) (string, error) {
	if strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "//") {
		return target, nil
	}
	address, err := url.Parse(target)
	switch {
	case err != nil || address.Host == "" || address.Scheme == "":
		return "", fmt.Errorf("%q is neither a path that begins with a slash nor the address of an answer", target)
	case address.Scheme != server.Scheme || address.Host != server.Host:
		return "", fmt.Errorf("%s is not of the server at %s: name its server with --api", target, server)
	}
	path, below := strings.CutPrefix(address.RequestURI(), strings.TrimSuffix(server.EscapedPath(), "/"))
	if !below || !strings.HasPrefix(path, "/") {
		return "", fmt.Errorf("%s is not of the server at %s: name its server with --api", target, server)
	}
	return path, nil
}

// askServer sends a GET request and returns the body. For a status other than 200 it returns an error with the answer's
// message.
func askServer(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		var transport *url.Error
		if errors.As(err, &transport) {
			err = transport.Err
		}
		return nil, fmt.Errorf("ask %s (is the server running? --api names another one): %w", request.URL.Host, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerMax))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", request.URL.Host, err)
	}
	if response.StatusCode != http.StatusOK {
		var failure struct{ Message, Error string }
		_ = json.Unmarshal(body, &failure) // a body that is not JSON has no message
		if failure.Message == "" {
			failure.Message = failure.Error
		}
		return nil, fmt.Errorf("%s answers %s: %s", request.URL.Host, response.Status, failure.Message)
	}
	return body, nil
}
