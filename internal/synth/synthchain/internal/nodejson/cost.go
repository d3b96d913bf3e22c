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
	dst = append(dst, `{"read_count":`...)
	dst = appendNumber(dst, a.ReadCount)
	dst = appendNumber(appendKey(dst, "read_length"), a.ReadLength)
	dst = appendNumber(appendKey(dst, "runtime"), a.Runtime)
	dst = appendNumber(appendKey(dst, "write_count"), a.WriteCount)
	dst = appendNumber(appendKey(dst, "write_length"), a.WriteLength)
	return append(dst, '}')
}
