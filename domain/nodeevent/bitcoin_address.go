package nodeevent

import "encoding/json"

// BitcoinAddress is an address that receives PoX rewards.
type BitcoinAddress struct {
	// Text is base58check or bech32; empty if the node wrote a structure.
	Text string
	// Raw is the JSON of the structure that development builds of early 2024 wrote instead; nil otherwise.
	Raw json.RawMessage
}

func (c *cursor) bitcoinAddress(dst *BitcoinAddress) {
	*dst = BitcoinAddress{}
	switch c.Peek() {
	case '{', '[':
		dst.Raw = c.Raw()
	default:
		c.Name(&dst.Text)
	}
}
