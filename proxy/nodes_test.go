package proxy

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"strata/proxy/internal/policy"
)

var heavyEndpoint = policy.Match("GET", "/v2/pox")

func TestParseNodes(t *testing.T) {
	tests := []struct {
		list string
		want []Node
	}{
		{"", nil},
		{"http://127.0.0.1:20443", []Node{{"127.0.0.1:20443", "http://127.0.0.1:20443", 1}}},
		{" a=http://127.0.0.1:1/ , big=https://localhost;weight=2.5,", []Node{
			{"a", "http://127.0.0.1:1", 1}, {"big", "https://localhost", 2.5},
		}},
		{"http://[::1]:20443", []Node{{"[::1]:20443", "http://[::1]:20443", 1}}},
	}
	for _, tt := range tests {
		if got, err := ParseNodes(tt.list); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("ParseNodes(%q) = %v, %v; want %v", tt.list, got, err, tt.want)
		}
	}
	for _, list := range []string{
		"127.0.0.1:20443", "ftp://127.0.0.1", "http://", "http://127.0.0.1/path", "http://u:p@127.0.0.1", "http://127.0.0.1?x",
		"http://127.0.0.1#x", "=http://127.0.0.1", "a b=http://127.0.0.1", "http://127.0.0.1;weight=0", "http://127.0.0.1;weight=-1",
		"http://127.0.0.1;weight=NaN", "http://127.0.0.1;weight=x", "http://127.0.0.1;height=1",
	} {
		if got, err := ParseNodes(list); !errors.Is(err, ErrNode) {
			t.Errorf("ParseNodes(%q) = %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"http://127.0.0.1,http://127.0.0.1", "a=http://127.0.0.1:1,a=http://127.0.0.1:2"} {
		if got, err := ParseNodes(list); err == nil {
			t.Errorf("ParseNodes(%q) = %v", list, got)
		}
	}
}

func FuzzParseNodes(f *testing.F) {
	f.Add("a=http://127.0.0.1:1,b=https://[::1]:2;weight=3")
	f.Add("=;,=")
	f.Fuzz(func(t *testing.T, list string) {
		nodes, err := ParseNodes(list)
		if err != nil || len(nodes) == 0 {
			return
		}
		if _, err := New(Config{Nodes: nodes}); err != nil {
			t.Fatalf("ParseNodes(%q) = %v, but New refuses these nodes: %v", list, nodes, err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	good := []Node{{URL: "http://127.0.0.1:1"}}
	for _, config := range []Config{
		{}, {Nodes: []Node{{URL: "nonsense"}}}, {Nodes: good, BodyLimit: -1}, {Nodes: good, RateLimit: -1}, {Nodes: good, RateLimit: math.NaN()},
		{Nodes: make([]Node, 65)},
	} {
		if p, err := New(config); err == nil {
			t.Errorf("New(%+v) = %v", config, p)
		}
	}
}
