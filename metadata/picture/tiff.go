package picture

import (
	"bytes"
	"fmt"
	"image"

	"golang.org/x/image/tiff"
)

// measureTIFF reads the first directory, which describes the first image. The decoder holds the image with at most 8
// bytes per pixel, and an unpacked strip or tile while its buffer grows.
func measureTIFF(body []byte) (extent, error) {
	d, err := readIFD(body)
	if err != nil {
		return extent{}, err
	}
	var numbers [5]int
	for i, tag := range []uint16{tagWidth, tagHeight, tagRowsPerStrip, tagTileWidth, tagTileHeight} {
		if numbers[i], err = d.number(tag); err != nil {
			return extent{}, err
		}
	}
	width, height, rows := numbers[0], numbers[1], numbers[2]
	block := pixels(width, min(max(rows, 0), height), 3*8)
	switch {
	case numbers[3] != 0 && (numbers[3] > max(width+16, 1024) || numbers[4] > max(height+16, 1024)):
		return extent{}, fmt.Errorf("it has tiles of %d×%d pixels", numbers[3], numbers[4])
	case numbers[3] != 0:
		block = pixels(numbers[3], numbers[4], 3*8)
	case rows == 0:
		block = pixels(width, height, 3*8)
	}
	e := pixels(width, height, 8)
	e.memory += block.memory
	e.orientation = d.orientation()
	return e, nil
}

func decodeTIFF(body []byte) (image.Image, error) { return tiff.Decode(bytes.NewReader(body)) }
