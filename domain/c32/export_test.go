package c32

// Encode returns b in c32 digits (SIP-005): one 0 for each leading zero byte, then the other bytes as one big-endian
// number without leading zero digits.
func Encode(b []byte) string {
	return string(appendEncoded(make([]byte, 0, encodedLen(len(b))), b))
}

// Decode reverses Encode: it returns one zero byte for each leading 0 of s, then the number in as few bytes as
// possible. It accepts lower case, and reads O as 0 and I and L as 1. It returns ErrCharacter for anything else.
func Decode(s string) ([]byte, error) {
	zeros, n, err := measure(s)
	if err != nil {
		return nil, err
	}
	b := make([]byte, zeros+n)
	fill(b, s)
	return b, nil
}

// encodedLen returns the largest number of digits that n bytes take.
func encodedLen(n int) int { return (n*8 + 4) / 5 }
