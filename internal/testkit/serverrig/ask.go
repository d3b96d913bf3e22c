package serverrig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Reply is a response with its whole body. The zero value is none.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// RetryAfter reports whether the response says when to come again.
func (r Reply) RetryAfter() bool {
	seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
	return err == nil && seconds > 0
}

// client opens a connection for each request, as nodes do: it never sees that of a process that has died.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// Ask makes a request and waits for the answer.
func Ask(ctx context.Context, limit time.Duration, method, url string, header http.Header, body []byte) (r Reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return AskBy(ctx, client, method, url, header, body)
}

// AskBy is Ask by another client.
func AskBy(ctx context.Context, client *http.Client, method, url string, header http.Header, body []byte) (r Reply, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	if header != nil {
		request.Header = header
	}
	response, err := client.Do(request)
	if err != nil {
		return r, err
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return r, fmt.Errorf("%s: status %d, and the body broke off: %w", url, response.StatusCode, err)
	}
	return Reply{response.StatusCode, response.Header, read}, nil
}

// Post delivers an event as a node does, once.
func Post(ctx context.Context, limit time.Duration, url string, body []byte) (Reply, error) {
	return Ask(ctx, limit, http.MethodPost, url, http.Header{"Content-Type": {"application/json"}}, body)
}

// Read decodes an answer, which must have the status 200.
func Read(ctx context.Context, limit time.Duration, url string, into any) error {
	r, err := Ask(ctx, limit, http.MethodGet, url, nil, nil)
	if err == nil && r.Status != http.StatusOK {
		err = fmt.Errorf("%s: got %d %s, want 200", url, r.Status, r.Body)
	}
	if err == nil {
		err = json.Unmarshal(r.Body, into)
	}
	return err
}

// Probe returns the status of an answer that is given soon; 0 for none.
func Probe(ctx context.Context, url string) int {
	r, _ := Ask(ctx, 2*time.Second, http.MethodGet, url, nil, nil)
	return r.Status
}

// Metrics returns the metrics of a server, by their names with labels; none if it does not answer soon.
func Metrics(ctx context.Context, url string) map[string]float64 {
	r, _ := Ask(ctx, 2*time.Second, http.MethodGet, url, nil, nil)
	return ParseMetrics(r.Body)
}

// ParseMetrics returns the metrics in the text of /metrics, by their names with labels.
func ParseMetrics(text []byte) map[string]float64 {
	values := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || line[0] == '#' {
			continue
		}
		if value, err := strconv.ParseFloat(line[at+1:], 64); err == nil {
			values[line[:at]] = value
		}
	}
	return values
}
