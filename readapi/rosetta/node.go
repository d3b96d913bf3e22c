package rosetta

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/fault"
)

// nodeAnswerMax is the maximum length of a node's answer, in bytes.
const nodeAnswerMax = 16 << 20

// errLong is returned for an answer that is too long.
var errLong = errors.New("the node's answer is too long")

// collector is a response writer that collects a node's answer.
type collector struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (c *collector) Header() http.Header { return c.header }

// WriteHeader implements http.ResponseWriter.
func (c *collector) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

// Write implements http.ResponseWriter.
func (c *collector) Write(b []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	if c.body.Len()+len(b) > nodeAnswerMax {
		return 0, errLong
	}
	return c.body.Write(b)
}

// node sends a request to the nodes. It fails if there are none, but not if a node answers with an error.
func (s *service) node(ctx context.Context, method, path, contentType string, body []byte) (status int, answer []byte, err error) {
	if s.config.NodeRPC == nil {
		return 0, nil, fault.Newf(fault.NodeUnavailable, "this server knows no Stacks node (--nodes)")
	}
	var reader io.Reader = http.NoBody
	if body != nil {
		reader = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://node"+path, reader)
	if err != nil {
		return 0, nil, fmt.Errorf("request %s of a node: %w", path, err)
	}
	request.RequestURI = path
	request.RemoteAddr = engine.ExchangeOf(ctx).Client // whose limits hold for it
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	w := &collector{header: http.Header{}}
	s.config.NodeRPC.ServeHTTP(w, request)
	return w.status, w.body.Bytes(), nil
}

// nodeJSON reads a JSON answer of a node.
func (s *service) nodeJSON(ctx context.Context, path string, into any) error {
	status, answer, err := s.node(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fault.Newf(fault.NodeUnavailable, "GET %s: the node answers %d", path, status)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fault.Newf(fault.NodeUnavailable, "GET %s: the node's answer is not the expected JSON", path)
	}
	return nil
}
