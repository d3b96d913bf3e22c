package document

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Resolve returns the URLs under which the resource of a URI is available, the preferred one first. All candidates lead
// to the same resource:
//
//	http, https   the URL itself. If it is a URL of a public IPFS gateway, the URLs at each of our IPFS gateways come
//	              first. Such a URL has a replaced host or a subdomain as in <cid>.ipfs.<any host>
//	ipfs, ipns    a URL at each IPFS gateway
//	ar            a URL at each Arweave gateway, without the query
//	bare CID      as for ipfs
//
// A fragment of a URI that leads to IPFS gateways may be the rest of a file name with a "#" in it, so that the URLs with
// the name are further candidates.
//
// Resolve returns an error if the URI is malformed or has another scheme, or if there is no gateway for it. A data URI
// is an error, too, because it needs no request: see [IsData].
func Resolve(uri string, g Gateways) ([]Candidate, error) {
	uri = strings.TrimSpace(uri)
	candidates, err := resolve(uri, g)
	if err != nil {
		return nil, fmt.Errorf("resolve URI %q: %w", shorten(uri), err)
	}
	if name, ok := withNumberSign(uri, candidates[0]); ok {
		if further, err := resolve(name, g); err == nil {
			candidates = directLast(append(candidates, further...))
		}
	}
	return candidates, nil
}

// directLast moves the candidates without a gateway of ours to the end: a status 404 of such a host ends the search.
func directLast(candidates []Candidate) []Candidate {
	var ours, direct []Candidate
	for _, c := range candidates {
		if c.Gateway == "" {
			direct = append(direct, c)
		} else {
			ours = append(ours, c)
		}
	}
	return append(ours, direct...)
}

// withNumberSign returns a URI in which the fragment belongs to the name of a file. ok is false if there is no fragment,
// or no file, or the URI leads to no gateway of IPFS.
func withNumberSign(uri string, first Candidate) (name string, ok bool) {
	before, after, _ := strings.Cut(uri, "#")
	path := strings.TrimPrefix(first.URL, strings.TrimRight(first.Gateway, "/")+"/")
	if after == "" || strings.Contains(before, "?") || first.Gateway == "" || schemeOf(uri) == "ar" || strings.Count(path, "/") < 2 { // ipfs/, the content's name, and the file
		return "", false
	}
	return strings.ReplaceAll(uri, "#", "%23"), true
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
		return requireGateway(atGateways(g.IPFS, path+queryOf(uri)), "IPFS")
	case "ar":
		path, err := cleanPath(afterScheme(uri))
		if err != nil {
			return nil, err
		}
		return requireGateway(atGateways(g.Arweave, path), "Arweave")
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

func requireGateway(candidates []Candidate, network string) ([]Candidate, error) {
	if len(candidates) == 0 {
		return nil, fmt.Errorf("there is no gateway of %s", network)
	}
	return candidates, nil
}

// resolveHTTP returns the candidates at gateways and then the URL itself, in which it encodes characters that a request
// cannot have.
func resolveHTTP(uri string, g Gateways) ([]Candidate, error) {
	if !strings.HasPrefix(uri[len(schemeOf(uri)):], "://") {
		return nil, errors.New("there is no // after the scheme")
	}
	// percentEncode is not for the host, which has other rules and may be internationalised. net/url and the client
	// handle it.
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
		candidates = atGateways(g.IPFS, path+queryOf(rest))
	}
	for _, c := range candidates {
		if c.URL == whole {
			return candidates, nil
		}
	}
	return append(candidates, Candidate{URL: whole}), nil
}

// gatewayPath returns the path at any gateway for a URL of a public IPFS gateway; ok is false for any other URL.
func gatewayPath(u *url.URL, rest string, g Gateways) (path string, ok bool) {
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	// Host names are case-insensitive, and so are the bases of identifiers in host names.
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
