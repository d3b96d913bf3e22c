package main

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
)

// traceTimeout bounds one request to the server.
const traceTimeout = time.Minute

// traceAnswerMax is how much of an answer is read: a page of 200 rows is far shorter.
const traceAnswerMax = 64 << 20

type traceCommand struct {
	Target string `arg:"" name:"url|path" help:"An answer of the API: its path with its query, or its whole address."`
	API    string `name:"api" default:"http://127.0.0.1:3999" env:"STRATA_API_URL" placeholder:"URL" help:"The running server to ask (default ${default})."`
	JSON   bool   `name:"json" help:"Print what the server says, as it is."`
	Limit  int    `default:"50" help:"Rows of a page, up to 200."`
	Cursor string `help:"The page after another one, as that one says."`
}

// Run asks a running server what an answer is made of, and prints it as a tree.
func (c *traceCommand) Run(ctx context.Context, _ *Globals) error {
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
	answer, err := askServer(ctx, server.JoinPath("/audit/v1/trace").String()+"?"+query.Encode())
	if err != nil {
		return fmt.Errorf("trace %s: %w", path, err)
	}
	if c.JSON {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, answer, "", "  "); err != nil {
			return fmt.Errorf("trace %s: %s answers with no JSON: %w", path, c.API, err)
		}
		pretty.WriteByte('\n')
		_, err := pretty.WriteTo(os.Stdout)
		return err
	}
	var made traceAnswer
	if err := json.Unmarshal(answer, &made); err != nil {
		return fmt.Errorf("trace %s: read what %s answers: %w", path, c.API, err)
	}
	return made.write(os.Stdout, strings.TrimSuffix(c.API, "/"))
}

// pathOn is the path with the query that a target has on a server. An address of another server is refused: what that one
// answers is not in this one's tables.
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

// askServer is the body of a GET. An answer that is a failure becomes an error with its message.
func askServer(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, traceTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, fmt.Errorf("ask %s (is the server running? --api names another one): %w", request.URL.Host, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, traceAnswerMax))
	if err != nil {
		return nil, fmt.Errorf("read what %s answers: %w", request.URL.Host, err)
	}
	if response.StatusCode != http.StatusOK {
		var failure struct{ Message, Error string }
		_ = json.Unmarshal(body, &failure) // what is no JSON has no message
		if failure.Message == "" {
			failure.Message = failure.Error
		}
		return nil, fmt.Errorf("%s answers %s: %s", request.URL.Host, response.Status, failure.Message)
	}
	return body, nil
}
