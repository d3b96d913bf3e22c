package nodeevent

import "encoding/json"

// BitcoinAddress is an address that pays rewards.
type BitcoinAddress struct {
	// Text is base58check or bech32. Empty if the node wrote a structure.
	Text string
	// Raw is the JSON of the structure that development builds of early 2024 wrote instead; nil otherwise.
	Raw json.RawMessage
}

func (c *cursor) bitcoinAddress(dst *BitcoinAddress) {
	if c.err != nil {
		return
	}
	switch c.dec.PeekKind() {
	case '{', '[':
		dst.Raw = c.raw()
	default:
		c.name(&dst.Text)
	}
}
