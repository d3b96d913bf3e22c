package document

import "strings"

// Gateways are where documents can be asked for that have no host of their own.
type Gateways struct {
	// IPFS are base URLs, the preferred one first, such as "https://ipfs.io": below each are /ipfs/ and /ipns/.
	IPFS []string
	// Arweave are base URLs, the preferred one first, such as "https://arweave.net".
	Arweave []string
	// Replaced are hosts of public gateways of IPFS, with or without a port, such as "cloudflare-ipfs.com": the gateways
	// of IPFS are asked before them.
	Replaced []string
}

// Candidate is a place to ask.
type Candidate struct {
	// URL is of http or https.
	URL string
	// Gateway is the base URL in Gateways that it is below; empty when the URI is asked as it is.
	Gateway string
}

// below gives a candidate for each gateway. The path has no slash before it.
func below(gateways []string, path string) []Candidate {
	var candidates []Candidate
	for _, gateway := range gateways {
		candidates = append(candidates, Candidate{URL: strings.TrimRight(gateway, "/") + "/" + path, Gateway: gateway})
	}
	return candidates
}

// replaces says if the host, given with and without its port, is that of a public gateway to replace.
func (g Gateways) replaces(hostAndPort, host string) bool {
	for _, replaced := range g.Replaced {
		if strings.EqualFold(replaced, hostAndPort) || strings.EqualFold(replaced, host) {
			return true
		}
	}
	return false
}
