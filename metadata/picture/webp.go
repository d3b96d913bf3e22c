package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/webp"
)

// webpFile is the structure of a WebP file (RFC 9649, section 2).
type webpFile struct {
	width, height int
	// still is a file with a single picture: the file itself, or a file built from the first frame of an animation.
	still []byte
	// at is the position of the first frame on the canvas.
	at          image.Point
	orientation int
}

// Flags in the chunk VP8X.
const (
	webpAnimation = 1 << 1
	webpAlpha     = 1 << 4
)

// chunk returns the next chunk of a RIFF file, whose data is padded to an even length. ok is false at the end of the
// file, or if the file is cut off.
func (r *reader) chunk() (id string, data []byte, ok bool) {
	if len(r.rest) == 0 {
		return "", nil, false
	}
	header := r.take(8)
	if header == nil {
		return "", nil, false
	}
	length := int(binary.LittleEndian.Uint32(header[4:]))
	data = r.take(length)
	if length%2 == 1 && len(r.rest) > 0 { // some encoders leave out the last padding
		r.byte()
	}
	return string(header[:4]), data, !r.short
}

func parseWebP(body []byte) (f webpFile, err error) {
	size := int(binary.LittleEndian.Uint32(body[4:]))
	if size < 4 || size > len(body)-8 {
		return f, errTruncated
	}
	r := reader{rest: body[12 : 8+size]}
	animated, pictures := false, 0
	for {
		id, data, ok := r.chunk()
		if !ok {
			break
		}
		switch id {
		case "VP8X":
			if len(data) != 10 {
				return f, errors.New("its chunk VP8X has another length than 10")
			}
			animated = data[0]&webpAnimation != 0
			f.width, f.height = uint24(data[4:])+1, uint24(data[7:])+1
		case "EXIF":
			f.orientation = exifOrientation(bytes.TrimPrefix(data, []byte(exifPrefix))) // some programs copy the prefix from a JPEG
		case "VP8 ", "VP8L":
			pictures++
		case "ANMF":
			if !animated {
				return f, errors.New("it has a frame, but says that it is no animation")
			}
			if pictures++; pictures > framesMax {
				return f, fmt.Errorf("it has more than %d frames", framesMax)
			}
			if err := f.frame(data, pictures == 1); err != nil {
				return f, fmt.Errorf("frame %d: %w", pictures, err)
			}
		}
	}
	switch {
	case r.short:
		return f, errTruncated
	case pictures == 0:
		return f, errors.New("it has no picture")
	case !animated:
		f.still = body
		config, err := webp.DecodeConfig(bytes.NewReader(body))
		f.width, f.height = config.Width, config.Height
		return f, err
	case f.still == nil:
		return f, errors.New("it is an animation without a frame")
	}
	return f, nil
}

// frame checks a frame of an animation. It builds a file from the first frame, because the decoder does not support
// animations.
func (f *webpFile) frame(data []byte, first bool) error {
	const headerLength = 16
	if len(data) < headerLength {
		return errTruncated
	}
	at := image.Pt(2*uint24(data[0:]), 2*uint24(data[3:]))
	width, height := uint24(data[6:])+1, uint24(data[9:])+1
	if at.X+width > f.width || at.Y+height > f.height {
		return fmt.Errorf("it is outside of the %d×%d pixels", f.width, f.height)
	}
	if !first {
		return nil
	}
	f.at = at
	extended := make([]byte, 10)
	if id, _, ok := (&reader{rest: data[headerLength:]}).chunk(); ok && id == "ALPH" {
		extended[0] = webpAlpha
	}
	putUint24(extended[4:], width-1)
	putUint24(extended[7:], height-1)
	b := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), extended...)
	b = append(b, data[headerLength:]...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	f.still = b
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func putUint24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }

func measureWebP(body []byte) (extent, error) {
	f, err := parseWebP(body)
	if err != nil {
		return extent{}, err
	}
	e := pixels(f.width, f.height, 4+4) // the lossless pixels, and a transform of them
	e.orientation = f.orientation
	return e, nil
}

func decodeWebP(body []byte) (image.Image, error) {
	f, err := parseWebP(body)
	if err != nil {
		return nil, err
	}
	frame, err := webp.Decode(bytes.NewReader(f.still))
	if err != nil {
		return nil, err
	}
	return composeFrame(frame, f.at, f.width, f.height), nil
}
