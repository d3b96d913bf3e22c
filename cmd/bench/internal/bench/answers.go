package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"strata/internal/testkit/serverrig"

	"github.com/redis/go-redis/v9"
)

// Answers are the answers of a bare handler.
type Answers struct {
	ByTarget map[string]serverrig.Reply
	// Redis is the address of a Redis from which each request reads the body, by its target; empty for none.
	Redis string
}

// preparedAnswer is an answer with its header as a list, which is faster to copy.
type preparedAnswer struct {
	serverrig.Reply
	fields []field
}

type field struct {
	name   string
	values []string
}

// Handler returns a handler that writes the same bytes as Strata. It does nothing but look them up in a map, and get the body
// of a target from elsewhere unless get is nil.
func (a *Answers) Handler(get func(ctx context.Context, target string) ([]byte, error)) http.HandlerFunc {
	answers := make(map[string]*preparedAnswer, len(a.ByTarget))
	for target, answer := range a.ByTarget {
		p := &preparedAnswer{Reply: answer}
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
		if get != nil {
			var err error
			if body, err = get(r.Context(), r.RequestURI); err != nil {
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

// ServeAnswers runs the bare handler as a helper process. It reads the answers and writes its address.
func ServeAnswers(ctx context.Context, in *json.Decoder, out *json.Encoder) {
	var a Answers
	Check(in.Decode(&a))
	var get func(ctx context.Context, target string) ([]byte, error)
	if a.Redis != "" {
		client := redis.NewClient(&redis.Options{Addr: a.Redis})
		defer client.Close() //nolint:errcheck // the process ends
		for target, answer := range a.ByTarget {
			Check(client.Set(ctx, target, answer.Body, 0).Err())
		}
		get = func(ctx context.Context, target string) ([]byte, error) { return client.Get(ctx, target).Bytes() }
	}
	ServeHelper(a.Handler(get), in, out)
}

// verbatim is a client that does not decode bodies.
var verbatim = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// Get requests a URL and returns the answer, whose body is still encoded. Its status is 200.
func Get(ctx context.Context, url string, header http.Header) (serverrig.Reply, error) {
	r, err := serverrig.AskBy(ctx, verbatim, http.MethodGet, url, header.Clone(), nil)
	if err == nil && r.Status != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", url, r.Status, r.Body)
	}
	return r, err
}
