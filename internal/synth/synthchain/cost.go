package synthchain

// cost is an execution cost.
type cost struct{ readCount, readLength, runtime, writeCount, writeLength uint64 }

func (a cost) add(b cost) cost {
	return cost{
		a.readCount + b.readCount, a.readLength + b.readLength, a.runtime + b.runtime,
		a.writeCount + b.writeCount, a.writeLength + b.writeLength,
	}
}

func (a cost) append(dst []byte) []byte {
	dst = append(dst, `{"read_count":`...)
	dst = appendNumber(dst, a.readCount)
	dst = appendNumber(appendKey(dst, "read_length"), a.readLength)
	dst = appendNumber(appendKey(dst, "runtime"), a.runtime)
	dst = appendNumber(appendKey(dst, "write_count"), a.writeCount)
	dst = appendNumber(appendKey(dst, "write_length"), a.writeLength)
	return append(dst, '}')
}
