package strata

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// RequestEditorFn changes a request before it is sent.
type RequestEditorFn func(ctx context.Context, request *http.Request) error

// HttpRequestDoer sends requests, as an http.Client does.
type HttpRequestDoer interface { //nolint:revive // its name in clients that oapi-codegen makes
	Do(request *http.Request) (*http.Response, error)
}

// Client has a method for each operation of the API, which returns the answer as it came; Read reads it.
type Client struct {
	server string // without a slash at its end
	doer   HttpRequestDoer
	edits  []RequestEditorFn
}

// ClientOption changes how a Client makes requests.
type ClientOption func(*Client)

// NewClient returns a client of the server at a URL, which may have a path.
func NewClient(server string, options ...ClientOption) (*Client, error) {
	if _, err := url.Parse(server); err != nil {
		return nil, err
	}
	c := &Client{server: strings.TrimRight(server, "/"), doer: http.DefaultClient}
	for _, option := range options {
		option(c)
	}
	return c, nil
}

// WithHTTPClient lets doer send the requests, such as a Session. The default is http.DefaultClient.
func WithHTTPClient(doer HttpRequestDoer) ClientOption {
	return func(c *Client) { c.doer = doer }
}

// WithRequestEditorFn lets edit change every request.
func WithRequestEditorFn(edit RequestEditorFn) ClientOption {
	return func(c *Client) { c.edits = append(c.edits, edit) }
}

// Read reads the answer of an operation, whose comment names its type T:
//
//	block, err := Read[BlockV3](client.GetBlockV3(ctx, "latest", nil))
//
// An answer with a status of 300 or more is a *Refusal.
func Read[T any](answer *http.Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if err := refused(answer); err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	value := new(T)
	if err := json.Unmarshal(text, value); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return value, nil
}

// operation is a request of an operation, until it is sent.
type operation struct {
	client       *Client
	method, path string
	query        []string // escaped
	header       http.Header
	body         io.Reader
	contentType  string
}

// request returns the request of a path, whose names in braces stand for the values.
func (c *Client) request(method, path string, values ...any) *operation {
	for _, value := range values {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + url.PathEscape(fmt.Sprint(value)) + after
	}
	return &operation{client: c, method: method, path: path, header: http.Header{}}
}

// addQuery adds a parameter, unless it is nil; a list, once for each of its values.
func (o *operation) addQuery(name string, value any) {
	for _, text := range texts(value) {
		o.query = append(o.query, url.QueryEscape(name)+"="+url.QueryEscape(text))
	}
}

// addHeader adds a header, unless it is nil.
func (o *operation) addHeader(name string, value any) {
	if all := texts(value); len(all) > 0 {
		o.header.Set(name, strings.Join(all, ","))
	}
}

// texts returns a value, or the values of a list, as texts; none of nil.
func texts(value any) (all []string) {
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Slice {
		return []string{fmt.Sprint(v.Interface())}
	}
	for i := range v.Len() {
		all = append(all, fmt.Sprint(v.Index(i).Interface()))
	}
	return all
}

func (o *operation) send(ctx context.Context, edits []RequestEditorFn) (*http.Response, error) {
	address := o.client.server + o.path
	if len(o.query) > 0 {
		address += "?" + strings.Join(o.query, "&")
	}
	request, err := http.NewRequestWithContext(ctx, o.method, address, o.body)
	if err != nil {
		return nil, err
	}
	for name, values := range o.header {
		request.Header[name] = values
	}
	if o.body != nil {
		request.Header.Set("Content-Type", o.contentType)
	}
	for _, all := range [][]RequestEditorFn{o.client.edits, edits} {
		for _, edit := range all {
			if err := edit(ctx, request); err != nil {
				return nil, err
			}
		}
	}
	return o.client.doer.Do(request)
}
