package block

// Nakamoto is a raw block since epoch 3.0.
type Nakamoto struct {
	Header NakamotoHeader
	Body   Body
}

// Epoch2 is a raw block before epoch 3.0.
type Epoch2 struct {
	Header Epoch2Header
	Body   Body
}

// DecodeNakamoto reads a raw block, all of it. Slices inside the result point into raw. The error is a *DecodeError.
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

// DecodeEpoch2 reads a raw block, all of it. Slices inside the result point into raw. The error is a *DecodeError.
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

// Encode writes the block. For a decoded one these are the bytes that it was decoded from.
func (b *Nakamoto) Encode() []byte { return b.Body.appendTo(b.Header.Append(nil)) }

// Encode writes the block. For a decoded one these are the bytes that it was decoded from.
func (b *Epoch2) Encode() []byte { return b.Body.appendTo(b.Header.Append(nil)) }
