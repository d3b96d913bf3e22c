package token

import (
	"encoding/hex"
	"strings"

	"strata/domain/document"
)

// imageLinks holds the links to an image; a link that does not exist is empty.
type imageLinks struct {
	canonical string // the URI in the document
	image     string // URL of our copy; empty if the server keeps no copies
	thumbnail string
}

// text returns the digest in hex; empty when the image was never fetched.
func (f *imageFacts) text() string { return hex.EncodeToString(f.digest) }

// imageLinks returns the links to an image. canonical is its URI in a document, and row is nil when the image is not
// known. A stranger's address is never a link that a page would load by itself: there is only the link to our own copy.
func (c *Config) imageLinks(canonical *string, row *resourceRow) (links imageLinks) {
	if canonical == nil {
		return links
	}
	if mayBeImage(*canonical) {
		links.canonical = *canonical
	}
	if c.ImageBase != "" && row != nil && row.facts.digest != nil {
		links.image = c.ImageBase + "/images/" + row.facts.text()
		links.thumbnail = links.image + "/thumb"
	}
	return links
}

// mayBeImage reports whether the URI of an image can be one. A data URI says what it is: one of text/html is a page.
func mayBeImage(uri string) bool {
	if !document.IsData(uri) {
		return true
	}
	mediaType := strings.TrimLeft(uri[len("data:"):], " ")
	const image = "image/"
	return len(mediaType) >= len(image) && strings.EqualFold(mediaType[:len(image)], image)
}
