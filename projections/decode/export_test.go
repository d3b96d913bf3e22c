package decode

import (
	"time"
)

// Waits reports whether a block that was decoded ahead waits for its reader.
func (d *Decoder) Waits() bool {
	d.ahead.mu.Lock()
	defer d.ahead.mu.Unlock()
	return d.ahead.block != nil
}

// ExpireAhead lets the patience with the block that waits end now.
func (d *Decoder) ExpireAhead() { d.ahead.block.expiry.Reset(time.Nanosecond) }
