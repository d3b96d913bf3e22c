package bns

import (
	"net/http"
	"net/url"
	"strings"
)

// NetworkInput is the network that a client expects.
type NetworkInput struct {
	Network string `query:"network" enum:"mainnet,testnet" doc:"The network that the client expects; 404 if the server has the names of another one. With testnet, answers name their network. The prefix /testnet of the public service's paths means the same."`
}

// networked is an input with a NetworkInput.
type networked interface{ network() string }

func (in NetworkInput) network() string { return in.Network }

// Marked is the network in answers to requests for testnet, as the public service has it.
type Marked struct {
	Network string `json:"network,omitempty" enum:"testnet" doc:"Present if the request is for testnet."`
}

func (in NetworkInput) marked() Marked {
	if in.Network == testnet {
		return Marked{testnet}
	}
	return Marked{}
}

const testnet = "testnet"

// Understand returns a handler for paths with the prefix /testnet after Path, as the public service has them: it passes
// such requests on without the prefix, and with the parameter network instead.
func Understand(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, Path+"/"+testnet+"/") {
			r = redirect(r, func(path string) string { return strings.Replace(path, "/"+testnet, "", 1) }, true)
		}
		next.ServeHTTP(w, r)
	})
}

// AtRoot returns a handler that serves the operations at the root of an address of their own.
func AtRoot(next http.Handler) http.Handler {
	understand := Understand(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		understand.ServeHTTP(w, redirect(r, func(path string) string { return Path + path }, false))
	})
}

// redirect returns the request for another path, with the parameter network for testnet if so wanted.
func redirect(r *http.Request, to func(path string) string, onTestnet bool) *http.Request {
	copied, target := *r, *r.URL
	target.Path = to(target.Path)
	if target.RawPath != "" {
		target.RawPath = to(target.RawPath)
	}
	if onTestnet {
		// A network in the query would contradict the path.
		query, _ := url.ParseQuery(target.RawQuery) // what can't be parsed is dropped, as everywhere
		query.Set("network", testnet)
		target.RawQuery = query.Encode()
	}
	copied.URL, copied.RequestURI = &target, target.RequestURI()
	return &copied
}
