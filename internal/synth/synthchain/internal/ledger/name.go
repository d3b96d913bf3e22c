package ledger

// Namespace is a namespace of the first naming system. Heights are in the clock of Clarity 1.
type Namespace struct {
	Importer   Party
	RevealedAt uint64
	LaunchedAt uint64
	Launched   bool
	Lifetime   uint64 // 0: names never expire
	Base       uint64 // of the price function; the other parameters never change
}

// Name is a name of the first naming system: its properties in the contract, and its token.
type Name struct {
	Owner        Party
	StartedAt    uint64 // when it was registered or imported
	Imported     bool
	Revoked      bool
	ZonefileHash string // bytes; empty for none
	Operation    string // the last one
}
