package picture

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// place is where a reference is, which decides what it may refer to.
type place int

const (
	placeInside place = iota // the document itself
	placeImage               // also an image in a data: reference
	placeStyle               // also an image or a font in a data: reference
	placeLink                // also another page: browsers load it when a person follows the link, and never in an <img>
)

// fontTypes lists the media types of fonts (RFC 8081, and those that programs wrote before it). A font only draws: it
// loads nothing, and can't reach the page.
var fontTypes = map[string]bool{
	"font/woff2": true, "font/woff": true, "font/ttf": true, "font/otf": true, "font/sfnt": true, "font/collection": true,
	"font/truetype": true, "font/opentype": true, "font/x-woff": true, "font/x-woff2": true,
	"application/font-woff": true, "application/font-woff2": true, "application/font-sfnt": true, "application/font-ttf": true,
	"application/x-font-woff": true, "application/x-font-woff2": true, "application/x-font-ttf": true,
	"application/x-font-truetype": true, "application/x-font-otf": true, "application/x-font-opentype": true,
}

// checkReference accepts a reference within the document ("#…") and what else the place may refer to: a data: reference
// that contains an image of pixels, an acceptable SVG or a font, or a link. It refuses all others.
func (s *svgChecker) checkReference(value string, at place) error {
	value = strings.Trim(value, xmlSpace)
	if value == "" || value[0] == '#' {
		return nil
	}
	rest, ok := cutPrefixFold(value, "data:")
	switch {
	case at == placeLink && isWebLink(value):
		return nil
	case !ok || at != placeImage && at != placeStyle:
		return fmt.Errorf("it refers to %.40q", value)
	}
	header, data, ok := strings.Cut(rest, ",")
	if !ok {
		return errors.New("it has a data: reference without data")
	}
	mediaType, parameters, _ := strings.Cut(strings.ToLower(header), ";")
	switch mediaType = strings.Trim(mediaType, xmlSpace); mediaType {
	case "image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif", "image/bmp":
		return nil
	case "image/svg+xml":
		return s.checkNested(parameters, data)
	}
	if at == placeStyle && fontTypes[mediaType] {
		return nil
	}
	return fmt.Errorf("it refers to data of kind %.40q", mediaType)
}

// isWebLink reports whether a link leads to a page of the web, with a host. Any other could lead to a page that this
// server serves, or to a program.
func isWebLink(value string) bool {
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := cutPrefixFold(value, scheme); ok && rest != "" && !strings.ContainsAny(rest[:1], "/\\?#") {
			return true
		}
	}
	return false
}

// checkNested checks an SVG in a data: reference (RFC 2397).
func (s *svgChecker) checkNested(parameters, data string) error {
	if s.nesting == svgNestingMax {
		return fmt.Errorf("images nest deeper than %d", svgNestingMax)
	}
	packed := false
	for parameter := range strings.SplitSeq(parameters, ";") {
		switch strings.Trim(parameter, xmlSpace) {
		case "", "charset=utf-8", "charset=utf8", "utf-8", "utf8", "charset=us-ascii":
		case "base64":
			packed = true
		default: // in another character set the same bytes would be another document
			return fmt.Errorf("its data: reference has a parameter %.40q", parameter)
		}
	}
	text, err := url.PathUnescape(data)
	if err != nil {
		return fmt.Errorf("its data: reference: %w", err)
	}
	body := []byte(text)
	if packed {
		text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
		if body, err = base64.RawStdEncoding.DecodeString(text); err != nil {
			return fmt.Errorf("its data: reference: %w", err)
		}
	} else if strings.ContainsAny(data, "\t\r\n") {
		// A browser removes them from a URL, which joins the words on either side. But the XML parser may have turned
		// them into spaces, so the browser could see another document than this check.
		return errors.New("its data: reference has a line break or tab")
	}
	inner := svgChecker{nesting: s.nesting + 1}
	if err := inner.read(body); err != nil {
		return fmt.Errorf("the SVG in it: %w", err)
	}
	return nil
}

// cutPrefixFold is like strings.CutPrefix, but ignores the case of ASCII letters.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
