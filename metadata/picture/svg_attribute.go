package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// referenceAttributes name something to load or to go to, whatever element and namespace they are of.
var referenceAttributes = map[string]bool{
	"href": true, "src": true, "srcset": true, "data": true, "poster": true, "background": true,
	"action": true, "formaction": true, "ping": true,
}

func (s *svg) attribute(element xml.Name, a xml.Attr) error {
	name := strings.ToLower(a.Name.Local)
	if a.Name.Space == "xmlns" || a.Name.Space == "" && name == "xmlns" {
		return nil // names a namespace; nothing is loaded
	}
	if err := harmless(a.Value); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(name, "on"):
		return errors.New("it handles events")
	case a.Name.Space == namespaceXML && name == "base" || name == "xml:base":
		return errors.New("it moves what references are relative to")
	case referenceAttributes[name]:
		return s.reference(a.Value, strings.EqualFold(element.Local, "image") || strings.EqualFold(element.Local, "feImage"))
	case name == "attributename":
		return animatable(a.Value)
	case a.Name.Space != "", name == "id", name == "class", strings.HasPrefix(name, "data-"), strings.HasPrefix(name, "aria-"):
		return nil // no browser takes it for a style
	}
	return s.css(a.Value)
}

// animatable says whether an animation may set the attribute of this name: not one that runs or loads something.
func animatable(value string) error {
	_, name, prefixed := strings.Cut(strings.ToLower(strings.Trim(value, xmlSpace)), ":")
	if !prefixed {
		name = strings.ToLower(strings.Trim(value, xmlSpace))
	}
	if strings.HasPrefix(name, "on") || referenceAttributes[name] || name == "base" {
		return fmt.Errorf("it animates the attribute %q", value)
	}
	return nil
}

// harmless refuses text that some browser, somewhere, takes for a program: also with spaces in between, which browsers
// drop from addresses.
func harmless(value string) error {
	squeezed := strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, value))
	for _, scheme := range []string{"javascript:", "vbscript:", "livescript:", "data:text/html", "data:text/xml", "data:application/xhtml"} {
		if strings.Contains(squeezed, scheme) {
			return fmt.Errorf("it has %q", scheme)
		}
	}
	return nil
}
