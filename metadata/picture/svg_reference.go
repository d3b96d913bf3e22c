package picture

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// reference lets pass what is in the same document ("#…") and, for images, what is in the reference itself: a picture
// of pixels, or another SVG that passes as well.
func (s *svg) reference(value string, image bool) error {
	value = strings.Trim(value, xmlSpace)
	if value == "" || value[0] == '#' {
		return nil
	}
	rest, ok := cutPrefixFold(value, "data:image/")
	if !image || !ok {
		return fmt.Errorf("it refers to %.40q", value)
	}
	header, data, ok := strings.Cut(rest, ",")
	if !ok {
		return errors.New("it has a data: reference without data")
	}
	subtype, parameters, _ := strings.Cut(strings.ToLower(header), ";")
	switch subtype = strings.Trim(subtype, xmlSpace); subtype {
	case "png", "jpeg", "jpg", "gif", "webp", "avif", "bmp":
		return nil
	case "svg+xml":
		return s.nested(parameters, data)
	}
	return fmt.Errorf("it has an image of kind %.40q", subtype)
}

// nested reads a document in a data: reference (RFC 2397).
func (s *svg) nested(parameters, data string) error {
	if s.nesting == svgNestingMax {
		return fmt.Errorf("images nest deeper than %d", svgNestingMax)
	}
	packed := false
	for parameter := range strings.SplitSeq(parameters, ";") {
		switch strings.Trim(parameter, xmlSpace) {
		case "", "charset=utf-8", "charset=utf8", "utf-8", "utf8", "charset=us-ascii":
		case "base64":
			packed = true
		default: // in another character set it would be another document
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
		// An address loses them, so that words on either side become one; but XML may have made them spaces before.
		return errors.New("its data: reference has a line break or tab")
	}
	inner := svg{nesting: s.nesting + 1}
	if err := inner.read(body); err != nil {
		return fmt.Errorf("the SVG in it: %w", err)
	}
	return nil
}

// cutPrefixFold is strings.CutPrefix for ASCII of either case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
