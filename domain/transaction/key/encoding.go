package key

// Encoding is the SEC 1 form in which a public key is hashed: the key_encoding byte of SIP-005.
type Encoding uint8

// The two key encodings.
const (
	Compressed   Encoding = 0 // 33 bytes
	Uncompressed Encoding = 1 // 65 bytes
)

// Valid reports whether e is one of the two encodings.
func (e Encoding) Valid() bool { return e == Compressed || e == Uncompressed }

func (e Encoding) String() string {
	switch e {
	case Compressed:
		return "compressed"
	case Uncompressed:
		return "uncompressed"
	}
	return "unknown"
}
