package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/redis/go-redis/v9"
)

// constants is what a bare handler is to answer.
type constants struct {
	Answers map[string]constant // by target
	// Redis, if any, is where the bodies are read from for each request, under their targets.
	Redis string
}

// constant is an answer as Strata gave it.
type constant struct {
	Status int
	Header http.Header
	Body   []byte
}

// prepared is a constant with its header as a list, which is faster to copy.
type prepared struct {
	constant
	fields []field
}

type field struct {
	name   string
	values []string
}

// handler answers with the same bytes as Strata: a look-up in a map, and what net/http does.
func (c *constants) handler(client *redis.Client) http.HandlerFunc {
	answers := make(map[string]*prepared, len(c.Answers))
	for target, answer := range c.Answers {
		p := &prepared{constant: answer}
		for name, values := range answer.Header {
			p.fields = append(p.fields, field{name, values})
		}
		answers[target] = p
	}
	return func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.RequestURI]
		if !ok {
			http.NotFound(w, r)
			return
		}
		body := answer.Body
		if client != nil {
			var err error
			if body, err = client.Get(r.Context(), r.RequestURI).Bytes(); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		header := w.Header()
		for i := range answer.fields {
			header[answer.fields[i].name] = answer.fields[i].values
		}
		w.WriteHeader(answer.Status)
		if len(body) > 0 {
			_, _ = w.Write(body)
		}
	}
}

// serveConstants is the bare handler as a process: it is told what to answer, and says on which address it does.
func serveConstants(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	var c constants
	if err := in.Decode(&c); err != nil {
		return err
	}
	var client *redis.Client
	if c.Redis != "" {
		client = redis.NewClient(&redis.Options{Addr: c.Redis})
		defer client.Close() //nolint:errcheck // the process ends
		for target, answer := range c.Answers {
			if err := client.Set(ctx, target, answer.Body, 0).Err(); err != nil {
				return err
			}
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: c.handler(client)} //nolint:gosec // nobody but the bench connects
	go func() { _ = server.Serve(listener) }()
	if err := out.Encode(listener.Addr().String()); err != nil {
		return err
	}
	if err := in.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return err
	}
	return server.Close()
}
