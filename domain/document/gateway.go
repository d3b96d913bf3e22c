package document

import "strings"

// Gateways are HTTP servers for resources whose URIs have no host.
type Gateways struct {
	// IPFS has base URLs, the preferred one first, such as "https://ipfs.io". Each gateway serves /ipfs/ and /ipns/
	// below its base URL.
	IPFS []string
	// Arweave has base URLs, the preferred one first, such as "https://arweave.net".
	Arweave []string
	// Replaced has the hosts of public IPFS gateways, with or without a port, such as "cloudflare-ipfs.com". The
	// gateways in IPFS are preferred to them.
	Replaced []string
}

// Candidate is a URL to request.
type Candidate struct {
	// URL has the scheme http or https.
	URL string
	// Gateway is the base URL from Gateways; empty if URL is the URI itself.
	Gateway string
}

// atGateways returns a candidate for each gateway. The path begins without a slash.
func atGateways(gateways []string, path string) []Candidate {
	var candidates []Candidate
	for _, gateway := range gateways {
		candidates = append(candidates, Candidate{URL: strings.TrimRight(gateway, "/") + "/" + path, Gateway: gateway})
	}
	return candidates
}

// replaces reports whether the host, given with and without its port, is in Replaced.
func (g Gateways) replaces(hostAndPort, host string) bool {
	for _, replaced := range g.Replaced {
		if strings.EqualFold(replaced, hostAndPort) || strings.EqualFold(replaced, host) {
			return true
		}
	}
	return false
}
