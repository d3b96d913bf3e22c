package nodeevent

// Cost is a Clarity execution cost (SIP-006).
type Cost struct {
	ReadCount, ReadLength, Runtime, WriteCount, WriteLength uint64
}

func (c *cursor) cost(dst *Cost) (present bool) {
	*dst = Cost{}
	return c.Members(
		optional("read_count", &dst.ReadCount),
		optional("read_length", &dst.ReadLength),
		optional("runtime", &dst.Runtime),
		optional("write_count", &dst.WriteCount),
		optional("write_length", &dst.WriteLength),
	)
}
