package token

import (
	"encoding/hex"

	"strata/domain/document"
)

// imageLinks are the addresses at which an image can be had. Empty: it can't.
type imageLinks struct {
	canonical string // as the document has it
	image     string // our copy; without copies, one that browsers reach
	thumbnail string
}

// text is the digest in hex; empty when the image was never had.
func (f *imageFacts) text() string { return hex.EncodeToString(f.digest) }

// imageLinks of an image that a document names; row is nil when it is not known.
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

// reachable is where a browser finds what a URI of any scheme names; empty for a scheme that nobody serves.
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
