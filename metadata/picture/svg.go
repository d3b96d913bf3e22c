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

// XML namespaces.
const (
	namespaceSVG   = "http://www.w3.org/2000/svg"
	namespaceXHTML = "http://www.w3.org/1999/xhtml"
	namespaceXML   = "http://www.w3.org/XML/1998/namespace"
)

const (
	xmlSpace      = " \t\r\n"
	svgDepthMax   = 256 // maximum depth of elements
	svgNestingMax = 3   // maximum depth of SVGs within data: references
)

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	// xmlDeclaration matches the accepted text after <?xml. It excludes everything that makes another parser see other
	// characters.
	xmlDeclaration = regexp.MustCompile(
		`^version=("1\.0"|'1\.0')(\s+encoding=("(?i:utf-8)"|'(?i:utf-8)'))?(\s+standalone=("(yes|no)"|'(yes|no)'))?\s*$`)
	// documentType matches the accepted DOCTYPE: those of SVG's versions, as drawing programs write them. It has no
	// internal subset, which could define entities, and names a DTD at www.w3.org only: no browser loads one, but other
	// viewers do.
	documentType = regexp.MustCompile(
		`^<!DOCTYPE\s+svg(\s+(PUBLIC\s+("-//W3C//DTD SVG [^"<>\[\]]*"|'-//W3C//DTD SVG [^'<>\[\]]*')|SYSTEM)\s+` +
			`("https?://www\.w3\.org/[^"<>\[\]]*"|'https?://www\.w3\.org/[^'<>\[\]]*'))?\s*>$`)
)

// forbiddenElements lists the elements that run something or show a document from elsewhere. They are forbidden in
// every namespace.
var forbiddenElements = map[string]bool{
	"script": true, "handler": true, "listener": true,
	"foreignobject": true, "iframe": true, "frame": true, "frameset": true, "embed": true, "object": true, "applet": true,
	"audio": true, "video": true, "source": true, "link": true, "meta": true, "base": true, "form": true,
}

// inspectSVG returns the size in CSS pixels; 0 if the document states none. It reads the document as a browser does,
// and refuses it if any part does more than draw.
func inspectSVG(body []byte) (width, height int, err error) {
	s := svgChecker{}
	if err := s.read(body); err != nil {
		return 0, 0, err
	}
	width, height = sizeOf(s.root)
	return width, height, nil
}

// svgChecker reads and checks a document.
type svgChecker struct {
	root xml.StartElement
	open []xml.Name // names of the open elements
	// style collects the text of the current style element, which comments may split into parts.
	style   strings.Builder
	typed   bool // it has a DOCTYPE
	ended   bool // the root element has ended
	nesting int  // number of documents that this one is inside of
}

func (s *svgChecker) read(body []byte) error {
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
		if err := s.token(token, body[start:d.InputOffset()], start == 0); err != nil {
			return fmt.Errorf("at byte %d: %w", start, err)
		}
	}
	if !s.ended {
		return errTruncated
	}
	return nil
}

// token checks a token. written are its bytes in the document.
func (s *svgChecker) token(token xml.Token, written []byte, first bool) error {
	switch token := token.(type) {
	case xml.ProcInst:
		if token.Target == "xpacket" { // Adobe's programs put it around metadata, and browsers ignore it
			return nil
		}
		if token.Target != "xml" || !first {
			return fmt.Errorf("it has a processing instruction %q", token.Target)
		}
		if !xmlDeclaration.Match(token.Inst) {
			return fmt.Errorf("its XML declaration is not of version 1.0 in UTF-8: %q", token.Inst)
		}
	case xml.Directive:
		if s.typed || s.ended || len(s.open) > 0 || !documentType.Match(written) { // not the token, which lacks comments
			return fmt.Errorf("it has a DOCTYPE or another declaration: %.100q", written)
		}
		s.typed = true
	case xml.StartElement:
		return s.startElement(token)
	case xml.EndElement:
		return s.endElement()
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

func (s *svgChecker) startElement(element xml.StartElement) error {
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
		if err := s.checkAttribute(name, attribute); err != nil {
			return fmt.Errorf("<%s %s>: %w", name.Local, attribute.Name.Local, err)
		}
	}
	s.open = append(s.open, name)
	s.style.Reset()
	return nil
}

func (s *svgChecker) endElement() error {
	style := s.inStyle()
	s.open = s.open[:len(s.open)-1]
	s.ended = len(s.open) == 0
	if !style {
		return nil
	}
	if err := s.checkCSS(s.style.String()); err != nil {
		return fmt.Errorf("<style>: %w", err)
	}
	return nil
}

func (s *svgChecker) inStyle() bool {
	return len(s.open) > 0 && strings.EqualFold(s.open[len(s.open)-1].Local, "style")
}
