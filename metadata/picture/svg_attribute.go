package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// referenceAttributes lists the attributes that name something to load or to navigate to, in any element and namespace.
var referenceAttributes = map[string]bool{
	"href": true, "src": true, "srcset": true, "data": true, "poster": true, "background": true,
	"action": true, "formaction": true, "ping": true,
}

// checkAttribute refuses an attribute that runs something or refers to another document.
func (s *svgChecker) checkAttribute(element xml.Name, a xml.Attr) error {
	name := strings.ToLower(a.Name.Local)
	if a.Name.Space == "xmlns" || a.Name.Space == "" && name == "xmlns" {
		return nil // declares a namespace, which loads nothing
	}
	if err := checkScriptURL(a.Value); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(name, "on"):
		return errors.New("it handles events")
	case a.Name.Space == namespaceXML && name == "base" || name == "xml:base":
		return errors.New("it moves what references are relative to")
	case referenceAttributes[name]:
		return s.checkReference(a.Value, placeOf(element, name))
	case name == "attributename":
		return checkAnimated(a.Value)
	case a.Name.Space != "", name == "id", name == "class", strings.HasPrefix(name, "data-"), strings.HasPrefix(name, "aria-"):
		return nil // no browser reads it as a style
	}
	return s.checkCSS(a.Value)
}

// placeOf returns what the attribute of an element may refer to.
func placeOf(element xml.Name, attribute string) place {
	switch {
	case strings.EqualFold(element.Local, "image"), strings.EqualFold(element.Local, "feImage"):
		return placeImage
	case element == xml.Name{Space: namespaceSVG, Local: "a"} && attribute == "href":
		return placeLink
	}
	return placeInside
}

// checkAnimated refuses the name of an attribute that an animation must not set, because it runs or loads something.
func checkAnimated(value string) error {
	_, name, prefixed := strings.Cut(strings.ToLower(strings.Trim(value, xmlSpace)), ":")
	if !prefixed {
		name = strings.ToLower(strings.Trim(value, xmlSpace))
	}
	if strings.HasPrefix(name, "on") || referenceAttributes[name] || name == "base" {
		return fmt.Errorf("it animates the attribute %q", value)
	}
	return nil
}

// checkScriptURL refuses text that some browser could run as a program. It ignores white space and control characters,
// because browsers drop them from URLs.
func checkScriptURL(value string) error {
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
