package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Markers (ITU-T T.81, table B.1).
const (
	markerTemporary     = 0x01
	markerStartOfFrame0 = 0xc0 // baseline
	markerStartOfFrame1 = 0xc1 // extended
	markerStartOfFrame2 = 0xc2 // progressive
	markerRestart0      = 0xd0
	markerRestart7      = 0xd7
	markerStartOfImage  = 0xd8
	markerEndOfImage    = 0xd9
	markerStartOfScan   = 0xda
	markerExif          = 0xe1
	markerAdobe         = 0xee // tells which colours the components are
)

// scansMax bounds the scans of a progressive file. Ten are usual. A scan that changes nothing takes only a few bytes of
// the file, but costs a pass over the whole image.
const scansMax = 100

// exifPrefix begins the segment with Exif data (CIPA DC-008, 4.7.2).
const exifPrefix = "Exif\x00\x00"

// measureJPEG walks through the segments up to the end of the image.
func measureJPEG(body []byte) (extent, error) {
	r := reader{rest: body[2:]}
	var f *jpegFrame
	adobe := false
	orientation := 0
	for scans := 0; ; {
		marker := r.marker()
		switch {
		case r.short:
			return extent{}, errTruncated
		case marker == markerEndOfImage:
			if scans == 0 || f == nil {
				return extent{}, errors.New("it has no image")
			}
			e := f.extent(adobe)
			e.orientation = orientation
			return e, nil
		case marker == markerTemporary || marker >= markerRestart0 && marker <= markerStartOfImage:
			continue // has no segment
		}
		length := r.take(2)
		if length == nil {
			return extent{}, errTruncated
		}
		segment := r.take(int(binary.BigEndian.Uint16(length)) - 2)
		if segment == nil {
			return extent{}, errTruncated
		}
		switch marker {
		case markerAdobe:
			adobe = true
		case markerExif:
			if exif, ok := bytes.CutPrefix(segment, []byte(exifPrefix)); ok && orientation == 0 {
				orientation = exifOrientation(exif)
			}
		case markerStartOfScan:
			if scans++; scans > scansMax {
				return extent{}, fmt.Errorf("it has more than %d scans", scansMax)
			}
			r.skipScan()
		case markerStartOfFrame0, markerStartOfFrame1, markerStartOfFrame2:
			if f != nil {
				return extent{}, errors.New("it has more than one frame")
			}
			var err error
			if f, err = parseJPEGFrame(segment, marker == markerStartOfFrame2); err != nil {
				return extent{}, err
			}
		}
	}
}

// marker returns the next marker, and skips the bytes before it; 0 if there is none.
func (r *reader) marker() byte {
	code := byte(0)
	for code == 0 && !r.short {
		r.take(r.index(0xff))
		for code = 0xff; code == 0xff; { // further 0xff bytes are padding
			code = r.byte()
		}
	}
	return code
}

// skipScan skips compressed data, in which 0xff 00 stands for the byte 0xff and restart markers may occur.
func (r *reader) skipScan() {
	for !r.short {
		i := r.index(0xff)
		if i >= 0 && i+1 < len(r.rest) {
			if code := r.rest[i+1]; code != 0 && (code < markerRestart0 || code > markerRestart7) {
				r.take(i)
				return
			}
		}
		r.take(i)
		r.take(2)
	}
}

// jpegFrame is the header of a frame.
type jpegFrame struct {
	width, height int
	progressive   bool
	names         []byte // of the components
	samples       int    // number of samples of all components in one unit of the image
	largest       int    // number of samples of the finest component in one unit
}

// parseJPEGFrame parses the precision, height and width, and the name, sampling factors and table of each component.
func parseJPEGFrame(segment []byte, progressive bool) (*jpegFrame, error) {
	r := reader{rest: segment}
	header := r.take(6)
	if header == nil {
		return nil, errTruncated
	}
	f := &jpegFrame{
		width: int(binary.BigEndian.Uint16(header[3:])), height: int(binary.BigEndian.Uint16(header[1:])),
		progressive: progressive, largest: 1,
	}
	for range header[5] {
		component := r.take(3)
		if component == nil {
			return nil, errTruncated
		}
		count := int(component[1]>>4) * int(component[1]&0x0f)
		f.names = append(f.names, component[0])
		f.samples += count
		f.largest = max(f.largest, count)
	}
	return f, nil
}

// extent returns the extent of the image. At worst the decoder holds each component at full size, the coefficients of a
// progressive image, and colours other than YCbCr a second time.
func (f *jpegFrame) extent(adobe bool) extent {
	each := len(f.names)
	if f.progressive {
		each += (4*f.samples + f.largest - 1) / f.largest
	}
	if len(f.names) == 4 || adobe || string(f.names) == "RGB" {
		each += 4
	}
	return pixels(f.width, f.height, each)
}
