package importer

// WithBatchEvents sets how many events share a transaction.
func (o Options) WithBatchEvents(n int) Options {
	o.batchEvents = n
	return o
}

// WithFreeSpace sets how much room the disk has.
func (o Options) WithFreeSpace(bytes uint64) Options {
	o.freeSpace = func(string) (uint64, bool, error) { return bytes, true, nil }
	return o
}

// WithSizes sets the size of the lines of an event in bytes, and how many events share a transaction.
func (o BNSv1Options) WithSizes(partBytes, batchEvents int) BNSv1Options {
	o.partBytes, o.batchEvents = partBytes, batchEvents
	return o
}
