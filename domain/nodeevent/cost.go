package nodeevent

// Cost is a Clarity execution cost (SIP-006).
type Cost struct {
	ReadCount, ReadLength, Runtime, WriteCount, WriteLength uint64
}

func (c *cursor) cost(dst *Cost) (present bool) {
	*dst = Cost{}
	return c.Object(func(name []byte) {
		switch string(name) {
		case "read_count":
			c.uint64(&dst.ReadCount)
		case "read_length":
			c.uint64(&dst.ReadLength)
		case "runtime":
			c.uint64(&dst.Runtime)
		case "write_count":
			c.uint64(&dst.WriteCount)
		case "write_length":
			c.uint64(&dst.WriteLength)
		default:
			c.unknown(name)
		}
	})
}
