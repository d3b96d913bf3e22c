package token

import (
	"encoding/hex"

	"strata/domain/document"
)

// imageLinks holds the links to an image; a link that does not exist is empty.
type imageLinks struct {
	canonical string // the URI in the document
	image     string // URL of our copy; if the server keeps no copies, one that browsers can load
	thumbnail string
}

// text returns the digest in hex; empty when the image was never fetched.
func (f *imageFacts) text() string { return hex.EncodeToString(f.digest) }

// imageLinks returns the links to an image. canonical is its URI in a document, and row is nil when the image is not
// known.
func (c *Config) imageLinks(canonical *string, row *resourceRow) (links imageLinks) {
	if canonical == nil {
		return links
	}
	links.canonical = *canonical
	switch {
	case c.ImageBase == "":
		links.image = c.reachable(*canonical)
	case row != nil && row.facts.digest != nil:
		links.image = c.ImageBase + "/images/" + row.facts.text()
		links.thumbnail = links.image + "/thumb"
	}
	return links
}

// reachable returns a URL that a browser can load for a URI of any scheme; empty for an unsupported scheme.
func (c *Config) reachable(uri string) string {
	if document.IsData(uri) {
		return uri
	}
	candidates, err := document.Resolve(uri, c.Gateways)
	if err != nil || len(candidates) == 0 {
		return ""
	}
	return candidates[0].URL
}
