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

// versionsHeader says in a request which versions of projections to read instead of the active ones, as in "ft=2, nft=3",
// and in its answer which were read.
const VersionsHeader = "Strata-Projection"

// ChoosingVersions is the API for who may read versions that are not active: the header Strata-Projection of a request
// names them, as in "ft=2, nft=3". A version brings along what belongs to it, as it would when it became active. Such a
// request is answered from one snapshot of the database, and neither from what was kept nor is its answer; it says in the
// same header which versions were read. 400 for what is no choice, or of no projection; 404 for a version that does not exist; 409
// for one that other code has built, and for versions that don't go together.
//
// ServeHTTP of the API itself ignores the header.
func (a *Engine) ChoosingVersions() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Header.Values(VersionsHeader)
		if len(asked) == 0 {
			a.ServeHTTP(w, r)
			return
		}
		numbers, err := parseVersions(strings.Join(asked, ","))
		if err != nil {
			a.setCommonHeader(w.Header())
			ClientErrorAnswer(err).Serve(w, r, answer.Moment{})
			return
		}
		c := &choice{numbers: numbers, read: map[string]int{}}
		r = r.WithContext(context.WithValue(r.Context(), choiceKey{}, c))
		// A tag that the client has is of other versions' rows.
		r.Header = r.Header.Clone()
		for _, condition := range []string{"If-None-Match", "If-Match", "If-Modified-Since", "If-Range"} {
			r.Header.Del(condition)
		}
		a.handler.ServeHTTP(&choosingWriter{ResponseWriter: w, choice: c}, r)
	})
}

// choice is which versions a request reads.
type choice struct {
	numbers map[string]int // by projection, as the client chose
	read    map[string]int // those that were looked at
}

type choiceKey struct{}

// choiceOf is the choice of a request; nil when it reads the active versions.
func ChoiceOf(ctx context.Context) *choice {
	c, _ := ctx.Value(choiceKey{}).(*choice)
	return c
}

// versionChoice is one of a choice: the name of a projection and the number of a version.
var versionChoice = regexp.MustCompile(`^\s*([a-z][a-z0-9_]{0,62})\s*=\s*([1-9][0-9]{0,9})\s*$`)

// parseVersions reads the header of a request.
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

// in is a state with the chosen versions in the place of the active ones.
func (c *choice) in(state *register.State, rules map[string]int) (*register.State, error) {
	made, err := state.Choose(c.numbers)
	switch {
	case errors.Is(err, register.ErrNoProjection):
		return nil, BadRequest("%s: %s", VersionsHeader, err)
	case errors.Is(err, register.ErrNoVersion):
		return nil, NotFound("%s: %s", VersionsHeader, err)
	case err != nil:
		return nil, &Error{CodeConflict, fmt.Sprintf("%s: %s", VersionsHeader, err)}
	}
	for _, v := range made.Foreign(rules) {
		if state.Active(v.Name) == nil || state.Active(v.Name).Number != v.Number {
			return nil, &Error{CodeConflict, fmt.Sprintf("%s: %s=%d has rules %d, and this process those of number %d: ask one that has its code", VersionsHeader, v.Name, v.Number, v.Rules, rules[v.Name])}
		}
	}
	return made, nil
}

// header is what the answer says.
func (c *choice) header() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.read)) {
		parts = append(parts, name+"="+strconv.Itoa(c.read[name]))
	}
	return strings.Join(parts, ", ")
}

// choosingWriter says of an answer which versions it is made of, and that nobody may keep it.
type choosingWriter struct {
	http.ResponseWriter
	choice  *choice
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
