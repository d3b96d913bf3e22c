package picture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Tags (TIFF 6.0, appendix A).
const (
	tagWidth        = 256
	tagHeight       = 257
	tagOrientation  = 274
	tagRowsPerStrip = 278
	tagTileWidth    = 322
	tagTileHeight   = 323
)

// Types of values (TIFF 6.0, section 2).
const (
	ifdShort = 3
	ifdLong  = 4
)

// ifd is the first image file directory of a TIFF (TIFF 6.0, section 2). Exif data have the same form.
type ifd struct {
	order   binary.ByteOrder
	entries []byte
}

const ifdEntryLength = 12

// readIFD finds the directory. It does not check the values.
func readIFD(b []byte) (d ifd, err error) {
	switch {
	case len(b) < 8:
		return d, errTruncated
	case string(b[:4]) == "II*\x00":
		d.order = binary.LittleEndian
	case string(b[:4]) == "MM\x00*":
		d.order = binary.BigEndian
	default:
		return d, errors.New("it does not begin like a TIFF")
	}
	at := int64(d.order.Uint32(b[4:]))
	if at > int64(len(b)) {
		return d, errTruncated
	}
	r := reader{rest: b[at:]}
	count := r.take(2)
	if count == nil {
		return d, errTruncated
	}
	if d.entries = r.take(ifdEntryLength * int(d.order.Uint16(count))); r.short {
		return d, errTruncated
	}
	return d, nil
}

// number returns the value of a tag that has a single one, at most math.MaxInt32; 0 if the tag is missing.
func (d ifd) number(tag uint16) (int, error) {
	for e := d.entries; len(e) > 0; e = e[ifdEntryLength:] {
		if d.order.Uint16(e) != tag {
			continue
		}
		switch kind, count := d.order.Uint16(e[2:]), d.order.Uint32(e[4:]); {
		case count == 1 && kind == ifdShort:
			return int(d.order.Uint16(e[8:])), nil
		case count == 1 && kind == ifdLong:
			return int(min(d.order.Uint32(e[8:]), math.MaxInt32)), nil
		}
		return 0, fmt.Errorf("its tag %d is not a single number", tag)
	}
	return 0, nil
}

// orientation returns the orientation of the picture, as in extent; 1 if the directory has none that is valid.
func (d ifd) orientation() int {
	if o, err := d.number(tagOrientation); err == nil && o >= 1 && o <= 8 {
		return o
	}
	return 1
}

// exifOrientation returns the orientation that Exif data state (CIPA DC-008, 4.6.4). Malformed data state none, because
// browsers show such an image all the same.
func exifOrientation(exif []byte) int {
	d, err := readIFD(exif)
	if err != nil {
		return 1
	}
	return d.orientation()
}
