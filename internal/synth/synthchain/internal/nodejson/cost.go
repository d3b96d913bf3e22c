package nodejson

// Cost is an execution cost.
type Cost struct{ ReadCount, ReadLength, Runtime, WriteCount, WriteLength uint64 }

func (a Cost) add(b Cost) Cost {
	return Cost{
		a.ReadCount + b.ReadCount, a.ReadLength + b.ReadLength, a.Runtime + b.Runtime,
		a.WriteCount + b.WriteCount, a.WriteLength + b.WriteLength,
	}
}

func (a Cost) append(dst []byte) []byte {
	return newObject(dst).number("read_count", a.ReadCount).number("read_length", a.ReadLength).number("runtime", a.Runtime).
		number("write_count", a.WriteCount).number("write_length", a.WriteLength).end()
}
