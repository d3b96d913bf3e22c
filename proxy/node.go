package proxy

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"strata/proxy/internal/pool"
)

// Node is the configuration of one node behind the proxy.
type Node struct {
	// Name identifies the node in headers, metrics and logs; default its host and port.
	Name string
	// URL has a scheme (http or https), a host and a port, and nothing else.
	URL string
	// Weight is the node's share of requests relative to others; default 1.
	Weight float64
}

// ErrNode is wrapped by errors about the text of a node.
var ErrNode = errors.New("not a node (want http://host:port, or name=http://host:port;weight=2)")

// ParseNodes parses a comma-separated list of nodes. Each is a URL, optionally with a name before it and a weight after
// it: "http://127.0.0.1:20443,big=http://127.0.0.1:30443;weight=2". An empty text is an empty list.
func ParseNodes(list string) ([]Node, error) {
	var nodes []Node
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		node, err := parseNode(text)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	_, err := addresses(nodes)
	return nodes, err
}

func parseNode(text string) (Node, error) {
	location, options, _ := strings.Cut(text, ";")
	var n Node
	if name, rest, named := strings.Cut(location, "="); named && !strings.Contains(name, "/") {
		n.Name, location = strings.TrimSpace(name), rest
		if n.Name == "" {
			return n, fmt.Errorf("node %q: the name is empty: %w", text, ErrNode)
		}
	}
	n.URL = strings.TrimSuffix(strings.TrimSpace(location), "/")
	n.Weight = 1
	for option := range strings.SplitSeq(options, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(option), "=")
		switch key {
		case "":
		case "weight":
			weight, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return n, fmt.Errorf("node %q: weight %q is not a number: %w", text, value, ErrNode)
			}
			n.Weight = weight
			if weight == 0 {
				return n, fmt.Errorf("node %q: weight 0: %w", text, ErrNode)
			}
		default:
			return n, fmt.Errorf("node %q: unknown option %q: %w", text, key, ErrNode)
		}
	}
	address, err := n.address()
	n.Name = address.Name
	return n, err
}

// Limits of Node.Weight.
const (
	weightMin = 0.01
	weightMax = 1000
)

func (n Node) address() (pool.Address, error) {
	u, err := url.Parse(n.URL)
	switch {
	case err != nil:
		return pool.Address{}, fmt.Errorf("node %q: %w", n.URL, errors.Join(err, ErrNode))
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return pool.Address{}, fmt.Errorf("node %q: not an http or https URL: %w", n.URL, ErrNode)
	case u.User != nil, u.Path != "" && u.Path != "/", u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return pool.Address{}, fmt.Errorf("node %q: the URL has more than scheme, host and port: %w", n.URL, ErrNode)
	}
	a := pool.Address{Name: n.Name, URL: &url.URL{Scheme: u.Scheme, Host: u.Host}, Weight: n.Weight}
	if a.Name == "" {
		a.Name = u.Host
	}
	if !fieldText(a.Name) {
		return a, fmt.Errorf("node %q: name %q has spaces or characters that are not printable ASCII: %w", n.URL, a.Name, ErrNode)
	}
	if a.Weight == 0 {
		a.Weight = 1
	}
	if math.IsNaN(a.Weight) || a.Weight < weightMin || a.Weight > weightMax {
		return a, fmt.Errorf("node %q: weight %v is not between %v and %v: %w", n.URL, a.Weight, weightMin, weightMax, ErrNode)
	}
	return a, nil
}

// fieldText reports whether s can be the value of a header field, a non-empty run of printable ASCII without spaces.
func fieldText(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

// addresses checks every node and returns their addresses. Names and URLs must be unique.
func addresses(nodes []Node) ([]pool.Address, error) {
	if len(nodes) > pool.NodesMax {
		return nil, fmt.Errorf("%d nodes: at most %d are allowed", len(nodes), pool.NodesMax)
	}
	list, names, places := make([]pool.Address, 0, len(nodes)), map[string]bool{}, map[string]bool{}
	for _, n := range nodes {
		a, err := n.address()
		switch place := a.URL; {
		case err != nil:
			return nil, err
		case names[a.Name]:
			return nil, fmt.Errorf("two nodes have the name %q", a.Name)
		case places[place.String()]:
			return nil, fmt.Errorf("node %q is listed twice", place)
		}
		names[a.Name], places[a.URL.String()] = true, true
		list = append(list, a)
	}
	return list, nil
}
