package picture

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// checkReference accepts a reference within the document ("#…") and, for images, a data: reference that contains an
// image of pixels or an acceptable SVG. It refuses all others.
func (s *svgChecker) checkReference(value string, image bool) error {
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
		return s.checkNested(parameters, data)
	}
	return fmt.Errorf("it has an image of kind %.40q", subtype)
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
