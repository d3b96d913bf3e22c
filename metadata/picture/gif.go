package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/gif"
)

// measureGIF walks through all blocks up to the trailer (GIF89a specification), without decompressing them. So an
// animation that is cut off or endless is refused, even if its first frame is complete.
func measureGIF(body []byte) (extent, error) {
	r := reader{rest: body}
	screen := r.take(13)
	if screen == nil {
		return extent{}, errTruncated
	}
	width, height := int(binary.LittleEndian.Uint16(screen[6:])), int(binary.LittleEndian.Uint16(screen[8:]))
	r.take(colorTable(screen[10]))
	for frames := 0; ; {
		switch introducer := r.byte(); introducer {
		case 0x21: // extension: a label, then sub-blocks
			r.byte()
			r.skipSubBlocks()
		case 0x2c: // image: its rectangle, colours, the size of its codes, then sub-blocks
			descriptor := r.take(9)
			if descriptor == nil {
				return extent{}, errTruncated
			}
			if frames++; frames > framesMax {
				return extent{}, fmt.Errorf("it has more than %d frames", framesMax)
			}
			right := int(binary.LittleEndian.Uint16(descriptor[0:])) + int(binary.LittleEndian.Uint16(descriptor[4:]))
			bottom := int(binary.LittleEndian.Uint16(descriptor[2:])) + int(binary.LittleEndian.Uint16(descriptor[6:]))
			if right > width || bottom > height {
				return extent{}, fmt.Errorf("frame %d is outside of its %d×%d pixels", frames, width, height)
			}
			r.take(colorTable(descriptor[8]))
			r.byte()
			r.skipSubBlocks()
		case 0x3b: // trailer
			if frames == 0 {
				return extent{}, errors.New("it has no frame")
			}
			return pixels(width, height, 1+4), nil // the indices, and the canvas for a smaller first frame
		default:
			if r.short {
				return extent{}, errTruncated
			}
			return extent{}, fmt.Errorf("it has a block of unknown kind 0x%02x", introducer)
		}
		if r.short {
			return extent{}, errTruncated
		}
	}
}

// colorTable returns the length of the colour table that these flags announce, in bytes.
func colorTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// skipSubBlocks skips a sequence of sub-blocks, each preceded by its length, up to an empty one.
func (r *reader) skipSubBlocks() {
	for {
		length := int(r.byte())
		if length == 0 {
			return // the empty block, or the end of the file
		}
		r.take(length)
	}
}

func decodeGIF(body []byte) (image.Image, error) {
	config, err := gif.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	frame, err := gif.Decode(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return composeFrame(frame, frame.Bounds().Min, config.Width, config.Height), nil
}
