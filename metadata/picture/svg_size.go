package picture

import (
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
)

// svgLength matches a number with an absolute unit.
var svgLength = regexp.MustCompile(`^\s*\+?(\d+(?:\.\d*)?|\.\d+)(px|in|cm|mm|q|pt|pc)?\s*$`)

// unitPixels maps the absolute units (CSS Values and Units Module Level 4, 6.2) to pixels.
var unitPixels = map[string]float64{
	"": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72, "pc": 16,
}

// svgSizeMax is the largest accepted side in pixels. It is larger than any screen.
const svgSizeMax = 1_000_000

// sizeOf returns the size of the root element in pixels; 0 unless both sides are absolute.
func sizeOf(root xml.StartElement) (width, height int) {
	for _, a := range root.Attr {
		switch a.Name {
		case xml.Name{Local: "width"}:
			width = svgPixels(a.Value)
		case xml.Name{Local: "height"}:
			height = svgPixels(a.Value)
		}
	}
	if width == 0 || height == 0 {
		return 0, 0
	}
	return width, height
}

func svgPixels(value string) int {
	parts := svgLength.FindStringSubmatch(asciiLower(value))
	if parts == nil {
		return 0
	}
	number, err := strconv.ParseFloat(parts[1], 64)
	if size := math.Round(number * unitPixels[parts[2]]); err == nil && size <= svgSizeMax {
		return int(size)
	}
	return 0
}
