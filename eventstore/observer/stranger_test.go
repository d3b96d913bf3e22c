package observer_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/eventstore/observer"
)

// A web page on the node's machine can't write to the log.
func TestStrangersAreRefused(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{Hosts: []string{"strata.example.com"}})
	stored := int64(0)
	for name, c := range map[string]struct {
		old, new string
		refused  bool
	}{
		"a node":                            {"", "", false},
		"a page":                            {"Content-Type", "Origin: https://evil.example\r\nContent-Type", true},
		"a page that says nothing of it":    {"Content-Type", "Origin: null\r\nContent-Type", true},
		"a request without cors":            {"Content-Type", "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Site: cross-site\r\nContent-Type", true},
		"a name that leads here":            {"Host: localhost:3700", "Host: evil.example:3700", true},
		"a name that leads here, otherwise": {"Host: localhost:3700", "Host: 127.0.0.1.evil.example.", true},
		"an address":                        {"Host: localhost:3700", "Host: 127.0.0.1:3700", false},
		"an address of version 6":           {"Host: localhost:3700", "Host: [::1]:3700", false},
		"a container's name":                {"Host: localhost:3700", "Host: strata:3700", false},
		"the host of containers":            {"Host: localhost:3700", "Host: host.docker.internal:3700", false},
		"a name of the operator":            {"Host: localhost:3700", "Host: Strata.Example.com", false},
	} {
		got := h.send(replaceHeader(nodeRequest("/new_block", []byte(`{}`)), c.old, c.new))
		if want := map[bool]int{true: http.StatusForbidden, false: http.StatusOK}[c.refused]; got.status != want {
			t.Errorf("%s: got %d %s, want %d", name, got.status, got.body, want)
		}
		if !c.refused {
			stored++
		}
	}
	h.wantSize(stored)
}

func TestSecret(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{Secret: "s3cret", OrdhookToken: "other"})
	paths := []string{}
	for name, c := range map[string]struct {
		path, header string
		stored       string // the path in the log; empty for a refusal
	}{
		"none":                    {"/new_block", "", ""},
		"another":                 {"/s3cre/new_block", "", ""},
		"in the path":             {"/s3cret/new_block", "", "/new_block"},
		"in the path, escaped":    {"/s3cret/a%2fb", "", "/a%2fb"},
		"in the header":           {"/new_block", "Authorization: Bearer s3cret\r\n", "/new_block"},
		"another in the header":   {"/new_block", "Authorization: Bearer other\r\n", ""},
		"of the ordinals feed":    {"/payload", "Authorization: Bearer other\r\n", "/payload"},
		"in the path of the feed": {"/s3cret/payload", "", ""},
	} {
		got := h.send(replaceHeader(nodeRequest(c.path, []byte(`{}`)), "Content-Type", c.header+"Content-Type"))
		if want := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[c.stored != ""]; got.status != want {
			t.Errorf("%s: got %d %s, want %d", name, got.status, got.body, want)
		}
		if c.stored != "" {
			paths = append(paths, c.stored)
		}
	}
	for i, e := range h.events() {
		if e.Path != paths[i] || strings.Contains(e.Path, "s3cret") {
			t.Errorf("event %d has the path %s, want %s", e.Seq, e.Path, paths[i])
		}
	}
	h.wantSize(int64(len(paths)))
}
