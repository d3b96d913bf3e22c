package block

// Nakamoto is a block of epoch 3.0 or later.
type Nakamoto struct {
	Header NakamotoHeader
	Body   Body
}

// Epoch2 is a block before epoch 3.0.
type Epoch2 struct {
	Header Epoch2Header
	Body   Body
}

// DecodeNakamoto decodes a raw block, which must take up all of raw. The result shares memory with raw. The error is a
// *DecodeError.
func DecodeNakamoto(raw []byte) (*Nakamoto, error) {
	header, n, err := DecodeNakamotoHeader(raw)
	if err != nil {
		return nil, err
	}
	body, err := decodeBody(raw, n)
	if err != nil {
		return nil, err
	}
	return &Nakamoto{Header: *header, Body: body}, nil
}

// DecodeEpoch2 decodes a raw block, which must take up all of raw. The result shares memory with raw. The error is a
// *DecodeError.
func DecodeEpoch2(raw []byte) (*Epoch2, error) {
	header, err := DecodeEpoch2Header(raw[:min(len(raw), Epoch2HeaderSize)])
	if err != nil {
		return nil, err
	}
	body, err := decodeBody(raw, Epoch2HeaderSize)
	if err != nil {
		return nil, err
	}
	return &Epoch2{Header: *header, Body: body}, nil
}

// Encode returns the raw block. A decoded block encodes to the bytes that it was decoded from.
func (b *Nakamoto) Encode() []byte { return b.Body.appendTo(b.Header.Append(nil)) }

// Encode returns the raw block. A decoded block encodes to the bytes that it was decoded from.
func (b *Epoch2) Encode() []byte { return b.Body.appendTo(b.Header.Append(nil)) }
