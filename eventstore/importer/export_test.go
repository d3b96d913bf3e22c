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
