package document

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Resolve gives the places to ask for what a URI names, the preferred one first. The candidates hold the same:
//
//	http, https   the URL as it is; below each gateway before that, when it is of a public gateway of IPFS, by path on a
//	              replaced host or by subdomain (<cid>.ipfs.<any host>)
//	ipfs, ipns    below each gateway of IPFS
//	ar            below each gateway of Arweave, without the query
//	bare CID      as ipfs
//
// It is an error when the URI is of another scheme, which the error names, or can't be read, or there is no gateway for
// it. A data URI, which needs no asking, is an error too: see [IsData].
func Resolve(uri string, g Gateways) ([]Candidate, error) {
	candidates, err := resolve(strings.TrimSpace(uri), g)
	if err != nil {
		return nil, fmt.Errorf("resolve URI %q: %w", shorten(uri), err)
	}
	return candidates, nil
}

func resolve(uri string, g Gateways) ([]Candidate, error) {
	switch scheme := schemeOf(uri); scheme {
	case "http", "https":
		return resolveHTTP(uri, g)
	case "ipfs", "ipns":
		path, err := ipfsPath(uri)
		if err != nil {
			return nil, err
		}
		return needed(below(g.IPFS, path+queryOf(uri)), "IPFS")
	case "ar":
		path, err := cleanPath(afterScheme(uri))
		if err != nil {
			return nil, err
		}
		return needed(below(g.Arweave, path), "Arweave")
	case "data":
		return nil, errors.New("scheme data: it holds the data itself, nobody is to be asked")
	case "":
		if isBareCID(uri) {
			return resolve("ipfs://"+uri, g)
		}
		return nil, errors.New("it has no scheme, and is no content identifier of IPFS")
	default:
		return nil, fmt.Errorf("scheme %s is not supported", shorten(scheme))
	}
}

func needed(candidates []Candidate, network string) ([]Candidate, error) {
	if len(candidates) == 0 {
		return nil, fmt.Errorf("there is no gateway of %s", network)
	}
	return candidates, nil
}

// IsContentAddressed says if the URI is of what never changes, because its name is made of it or it is in the URI: of
// IPFS, of Arweave, data. What is behind a name (ipns) or a host may change.
func IsContentAddressed(uri string) bool {
	uri = strings.TrimSpace(uri)
	switch schemeOf(uri) {
	case "ar", "data":
		return true
	case "ipfs":
		path, err := ipfsPath(uri)
		return err == nil && strings.HasPrefix(path, "ipfs/")
	case "":
		return isBareCID(uri)
	}
	return false
}

// resolveHTTP gives the URL as it is, but for characters that a request can't hold, after what the gateways have.
func resolveHTTP(uri string, g Gateways) ([]Candidate, error) {
	if !strings.HasPrefix(uri[len(schemeOf(uri)):], "://") {
		return nil, errors.New("there is no // after the scheme")
	}
	// The host is left to net/url and to the client: it has other rules, and may be of any language.
	begin := strings.Index(uri, "//") + len("//")
	begin += strings.IndexAny(uri[begin:]+"/", "/?#")
	origin, rest := uri[:begin], uri[begin:]
	whole := origin + percentEncode(rest)
	u, err := url.Parse(whole)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	if u.Hostname() == "" {
		return nil, errors.New("there is no host")
	}
	var candidates []Candidate
	if path, ok := gatewayPath(u, rest, g); ok {
		candidates = below(g.IPFS, path+queryOf(rest))
	}
	for _, c := range candidates {
		if c.URL == whole {
			return candidates, nil
		}
	}
	return append(candidates, Candidate{URL: whole}), nil
}

// gatewayPath is the path of a URL of a public gateway as any gateway has it; ok is false when it is not of one.
func gatewayPath(u *url.URL, rest string, g Gateways) (path string, ok bool) {
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	// Host names are of no case, and so are the bases in which identifiers are labels of them.
	label, host, _ := strings.Cut(strings.ToLower(u.Hostname()), ".")
	space, host, _ := strings.Cut(host, ".")
	switch {
	case host != "" && (space == "ipfs" || space == "ipns") && isCID(label):
		rest = space + "/" + label + rest
	case !g.replaces(u.Host, u.Hostname()) || !strings.HasPrefix(rest, "/ipfs/") && !strings.HasPrefix(rest, "/ipns/"):
		return "", false
	}
	path, err := cleanIPFSPath(rest)
	return path, err == nil
}
