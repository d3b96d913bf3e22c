package history

// What tests of the package need of its inside.
var (
	AppendRecord  = appendRecord
	ReadRecord    = readRecord
	ParseManifest = parseManifest
	SignHead      = signHead
)

// HeadName is headName.
const HeadName = headName

// SetPerFile sets how many events a file has.
func (p *Publisher) SetPerFile(n int64) { p.perFile = n }
