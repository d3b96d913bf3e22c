package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Namespaces.
const (
	namespaceSVG   = "http://www.w3.org/2000/svg"
	namespaceXHTML = "http://www.w3.org/1999/xhtml"
	namespaceXML   = "http://www.w3.org/XML/1998/namespace"
)

const (
	xmlSpace = " \t\r\n"
	// svgDepthMax bounds how deep elements nest, svgNestingMax how deep SVGs in data: references do.
	svgDepthMax   = 256
	svgNestingMax = 3
)

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	// xmlDeclaration is what may follow <?xml: nothing that makes another reader see other characters than we do.
	xmlDeclaration = regexp.MustCompile(
		`^version=("1\.0"|'1\.0')(\s+encoding=("(?i:utf-8)"|'(?i:utf-8)'))?(\s+standalone=("(yes|no)"|'(yes|no)'))?\s*$`)
)

// forbiddenElements run something or show a document from elsewhere, in whatever namespace they are.
var forbiddenElements = map[string]bool{
	"script": true, "handler": true, "listener": true,
	"foreignobject": true, "iframe": true, "frame": true, "frameset": true, "embed": true, "object": true, "applet": true,
	"audio": true, "video": true, "source": true, "link": true, "meta": true, "base": true, "form": true,
}

// inspectSVG gives the size in CSS pixels, 0 when it has none of its own. It reads the document as a browser does, and
// refuses all of it for one thing that does more than draw.
func inspectSVG(body []byte) (width, height int, err error) {
	s := svg{}
	if err := s.read(body); err != nil {
		return 0, 0, err
	}
	width, height = sizeOf(s.root)
	return width, height, nil
}

// svg is a document while it is read.
type svg struct {
	root xml.StartElement
	// open are the names of the elements that have not ended.
	open []xml.Name
	// style is the text of the style element that is being read; its parts may be split by comments.
	style strings.Builder
	ended bool
	// nesting is how many documents this one is inside of.
	nesting int
}

func (s *svg) read(body []byte) error {
	body = bytes.TrimPrefix(body, byteOrderMark)
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		start := d.InputOffset()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("it is not well-formed: %w", err)
		}
		if err := s.token(token, start == 0); err != nil {
			return fmt.Errorf("at byte %d: %w", start, err)
		}
	}
	if !s.ended {
		return errTruncated
	}
	return nil
}

func (s *svg) token(token xml.Token, first bool) error {
	switch token := token.(type) {
	case xml.ProcInst:
		if token.Target != "xml" || !first {
			return fmt.Errorf("it has a processing instruction %q", token.Target)
		}
		if !xmlDeclaration.Match(token.Inst) {
			return fmt.Errorf("its XML declaration is not of version 1.0 in UTF-8: %q", token.Inst)
		}
	case xml.Directive:
		return errors.New("it has a DOCTYPE or another declaration")
	case xml.StartElement:
		return s.begin(token)
	case xml.EndElement:
		return s.end()
	case xml.CharData:
		if len(s.open) == 0 && len(bytes.Trim(token, xmlSpace)) > 0 {
			return errors.New("it has text outside of its elements")
		}
		if s.inStyle() {
			s.style.Write(token)
		}
	}
	return nil
}

func (s *svg) begin(element xml.StartElement) error {
	name := element.Name
	if len(s.open) == 0 {
		if s.ended {
			return errors.New("it has a second root")
		}
		if name.Local != "svg" || name.Space != namespaceSVG {
			return fmt.Errorf("its root is <%s> of namespace %q, not <svg> of %q", name.Local, name.Space, namespaceSVG)
		}
		s.root = element.Copy()
	}
	switch {
	case len(s.open) == svgDepthMax:
		return fmt.Errorf("its elements nest deeper than %d", svgDepthMax)
	case s.inStyle():
		return errors.New("it has an element in a <style>")
	case forbiddenElements[strings.ToLower(name.Local)]:
		return fmt.Errorf("it has a <%s>", name.Local)
	case name.Space == namespaceXHTML:
		return fmt.Errorf("it has an HTML element <%s>", name.Local)
	}
	for _, attribute := range element.Attr {
		if err := s.attribute(name, attribute); err != nil {
			return fmt.Errorf("<%s %s>: %w", name.Local, attribute.Name.Local, err)
		}
	}
	s.open = append(s.open, name)
	s.style.Reset()
	return nil
}

func (s *svg) end() error {
	style := s.inStyle()
	s.open = s.open[:len(s.open)-1]
	s.ended = len(s.open) == 0
	if !style {
		return nil
	}
	if err := s.css(s.style.String()); err != nil {
		return fmt.Errorf("<style>: %w", err)
	}
	return nil
}

func (s *svg) inStyle() bool {
	return len(s.open) > 0 && strings.EqualFold(s.open[len(s.open)-1].Local, "style")
}
