package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/redis/go-redis/v9"
)

// constants are the answers of a bare handler.
type constants struct {
	Answers map[string]constant // by target
	// Redis is the address of a Redis from which each request reads the body, by its target; empty for none.
	Redis string
}

// constant is an answer of Strata.
type constant struct {
	Status int
	Header http.Header
	Body   []byte
}

// preparedAnswer is a constant with its header as a list, which is faster to copy.
type preparedAnswer struct {
	constant
	fields []field
}

type field struct {
	name   string
	values []string
}

// handler returns a handler that writes the same bytes as Strata. It does nothing but look them up in a map.
func (c *constants) handler(client *redis.Client) http.HandlerFunc {
	answers := make(map[string]*preparedAnswer, len(c.Answers))
	for target, answer := range c.Answers {
		p := &preparedAnswer{constant: answer}
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

// serveConstants runs the bare handler as a helper process. It reads the answers and writes its address.
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
	address, server, err := serveHTTP(c.handler(client))
	if err != nil {
		return err
	}
	defer server.Close() //nolint:errcheck // the process ends
	if err := out.Encode(address); err != nil {
		return err
	}
	return waitForEnd(in)
}
