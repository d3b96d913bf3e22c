package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/register"
)

// VersionsHeader names, in a request, the projection versions to read instead of the active ones, as in "ft=2, nft=3".
// In the answer it names the versions that were read.
const VersionsHeader = "Strata-Projection"

// ForOperators returns a handler for clients that may know internals, and may read inactive versions: the request header Strata-Projection
// names them, as in "ft=2, nft=3". Choosing a version also chooses the versions that would become active with it. Such a
// request is answered from one snapshot of the database; the cache is neither read nor filled. The answer names the
// versions that were read in the same header. The status is 400 for a malformed header or an unknown projection, 404 for
// a version that does not exist, and 409 for a version that other code has built or for versions that don't fit together.
//
// The engine's own ServeHTTP ignores the header, and withholds internals; see ShowsInternals.
func (e *Engine) ForOperators() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = showingInternals(r)
		lines := r.Header.Values(VersionsHeader)
		if len(lines) == 0 {
			e.ServeHTTP(w, r)
			return
		}
		numbers, err := parseVersions(strings.Join(lines, ","))
		if err != nil {
			e.setCommonHeader(w.Header())
			ClientErrorAnswer(err).Serve(w, r, answer.Moment{})
			return
		}
		c := &Choice{numbers: numbers, read: map[string]int{}}
		r = r.WithContext(context.WithValue(r.Context(), choiceKey{}, c))
		// The client's entity tag may belong to the rows of other versions.
		r.Header = r.Header.Clone()
		for _, condition := range []string{"If-None-Match", "If-Match", "If-Modified-Since", "If-Range"} {
			r.Header.Del(condition)
		}
		e.handler.ServeHTTP(&choosingWriter{ResponseWriter: w, choice: c}, r)
	})
}

// Choice is the set of versions that a request reads instead of the active ones.
type Choice struct {
	numbers map[string]int // by projection, as the client chose
	read    map[string]int // by projection, those that were actually read
}

type choiceKey struct{}

// ChoiceOf returns the choice of a request; nil when the request reads the active versions.
func ChoiceOf(ctx context.Context) *Choice {
	c, _ := ctx.Value(choiceKey{}).(*Choice)
	return c
}

// versionChoice matches one item of the header: a projection's name and a version number.
var versionChoice = regexp.MustCompile(`^\s*([a-z][a-z0-9_]{0,62})\s*=\s*([1-9][0-9]{0,9})\s*$`)

// parseVersions parses the header's value into version numbers by projection.
func parseVersions(text string) (map[string]int, error) {
	numbers := map[string]int{}
	for part := range strings.SplitSeq(text, ",") {
		match := versionChoice.FindStringSubmatch(part)
		if match == nil {
			return nil, BadRequest("%s: %q is no version of a projection: want one such as ft=2, several with commas between them", VersionsHeader, strings.TrimSpace(part))
		}
		number, err := strconv.Atoi(match[2])
		if before, ok := numbers[match[1]]; err != nil || ok && before != number {
			return nil, BadRequest("%s: %q: one number for each projection", VersionsHeader, text)
		}
		numbers[match[1]] = number
	}
	return numbers, nil
}

// apply returns a copy of the state in which the chosen versions are active. rules are
// this program's rules numbers, and readable the earlier ones that its reads understand, too.
func (c *Choice) apply(state *register.State, rules map[string]int, readable map[string][]int) (*register.State, error) {
	chosen, err := state.Choose(c.numbers)
	switch {
	case errors.Is(err, register.ErrNoProjection):
		return nil, BadRequest("%s: %s", VersionsHeader, err)
	case errors.Is(err, register.ErrNoVersion):
		return nil, NotFound("%s: %s", VersionsHeader, err)
	case err != nil:
		return nil, &Error{CodeConflict, fmt.Sprintf("%s: %s", VersionsHeader, err)}
	}
	for _, v := range chosen.Foreign(rules, readable) {
		if state.Active(v.Name) == nil || state.Active(v.Name).Number != v.Number {
			return nil, &Error{CodeConflict, fmt.Sprintf("%s: %s=%d has rules %d, and this process those of number %d: ask one that has its code", VersionsHeader, v.Name, v.Number, v.Rules, rules[v.Name])}
		}
	}
	return chosen, nil
}

// header returns the header's value for the answer: the versions that were read.
func (c *Choice) header() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.read)) {
		parts = append(parts, name+"="+strconv.Itoa(c.read[name]))
	}
	return strings.Join(parts, ", ")
}

// choosingWriter adds the versions that were read to the header of an answer, and forbids caching it.
type choosingWriter struct {
	http.ResponseWriter
	choice  *Choice
	written bool
}

// Unwrap lets http.ResponseController reach the connection.
func (w *choosingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *choosingWriter) WriteHeader(status int) {
	if !w.written {
		w.written = true
		header := w.Header()
		header.Del("ETag")
		header.Set("Cache-Control", "no-store")
		if read := w.choice.header(); read != "" {
			header.Set(VersionsHeader, read)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *choosingWriter) Write(b []byte) (int, error) {
	if !w.written {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Stopped replaces the error that stopped a projection in answers to strangers: errors name hosts, files and rows.
const Stopped = "it has stopped at an event; the administration API and the server's log say why"

type internalsKey struct{}

// ShowsInternals reports whether the answer to a request may have what only operators should know: addresses and names of
// nodes, loads, errors of the machinery. It is true for the handler of ForOperators, and everywhere if the configuration
// says so.
func (e *Engine) ShowsInternals(ctx context.Context) bool {
	marked, _ := ctx.Value(internalsKey{}).(bool)
	return marked || e.Config.PublicInternals
}

// showingInternals marks a request as an operator's.
func showingInternals(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), internalsKey{}, true))
}
