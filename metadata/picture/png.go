package picture

import (
	"encoding/binary"
	"errors"
	"math"
)

// measurePNG parses the header chunk, which is the first chunk (PNG specification, third edition, 11.2.1).
func measurePNG(body []byte) (extent, error) {
	const headerEnd = 8 + 8 + 13
	if len(body) < headerEnd {
		return extent{}, errTruncated
	}
	if string(body[12:16]) != "IHDR" {
		return extent{}, errors.New("its first chunk is no header")
	}
	width, height := binary.BigEndian.Uint32(body[16:]), binary.BigEndian.Uint32(body[20:])
	if width > math.MaxInt32 || height > math.MaxInt32 {
		return extent{}, errors.New("it has a negative size")
	}
	depth, interlaced := body[24], body[28] != 0
	each := 4
	if depth == 16 {
		each = 8
	}
	if interlaced {
		each *= 2 // each pass is decoded separately and then spread over the whole image
	}
	e := pixels(int(width), int(height), each)
	e.orientation = orientationPNG(body)
	return e, nil
}

// orientationPNG returns what the chunk eXIf says (PNG specification, third edition, 11.3.5), which may be anywhere after
// the header; 1 if there is none.
func orientationPNG(body []byte) int {
	for r := (reader{rest: body[8:]}); ; {
		head := r.take(8)
		if head == nil {
			return 1
		}
		data := r.take(int(binary.BigEndian.Uint32(head)))
		if string(head[4:]) == "eXIf" {
			return exifOrientation(data)
		}
		r.take(4) // the checksum
	}
}
