package bns

import (
	"math/big"

	"strata/domain/bns"
)

// source says where in the log a row comes from.
type source struct {
	seq     int64
	tx      int // index of the transaction; noTransaction if a read of the contract told
	pointer string
}

// noTransaction is the index of the transaction of what a read of the contract told.
const noTransaction = -1

// place returns the column tx_index of a row that a read may have told.
func (s *source) place() *int32 {
	if s.tx == noTransaction {
		return nil
	}
	place := int32(s.tx)
	return &place
}

// name is the state of a name.
type name struct {
	source
	bns.Name
	id           int64
	events       int    // number of its events
	owner        string // empty after a burn
	airdropped   bool
	revoked      bool
	registeredAt *big.Int
	importedAt   *big.Int
	renewal      *big.Int
	burned       *big.Int // µSTX, by the last registration or renewal
	preorder     []byte
	preorderedBy string
	price        *big.Int // of the listing; nil if not listed
	commission   string
	listedN      int64
	expiry       int64
	valid        bool // as in the table; of no meaning for a version that the batch began
}

// take takes printed properties over.
func (n *name) take(p *bns.Properties) {
	n.registeredAt, n.importedAt, n.renewal, n.burned, n.preorder = p.RegisteredAt, p.ImportedAt, p.RenewalHeight, p.Burned, p.Preorder
	n.preorderedBy = ""
	if p.PreorderedBy != nil {
		n.preorderedBy = p.PreorderedBy.String()
	}
}

// unlist ends the listing.
func (n *name) unlist() { n.price, n.commission, n.listedN = nil, "", 0 }

// validAt reports whether the name is not expired at a burn height.
func (n *name) validAt(burnHeight int64) bool { return burnHeight <= n.expiry }

// membershipAt returns what decides in which lists the name is at a burn height.
func (n *name) membershipAt(burnHeight int64) membership {
	return membership{fullName: n.String(), namespace: n.Namespace, owner: n.owner, valid: n.validAt(burnHeight), revoked: n.revoked}
}

// namespace is the state of a namespace.
type namespace struct {
	source
	bns.Namespace
	name string
}

// primary is the primary name of a principal.
type primary struct {
	source
	principal string
	id        int64
	fullName  string
}

// zonefile is an entry of the resolver.
type zonefile struct {
	source
	fullName string
	owner    string
	content  []byte // nil for none
	revoked  bool
}

// event is something that happened.
type event struct {
	source
	n, height, burnHeight int64
	txid                  [32]byte
	index                 *int // of the event in the transaction; nil for a call
	kind                  bns.EventKind
	id                    *int64
	nameN                 int // 0 if it is not of a name
	fullName, namespace   string
	from, to              string
	amount, renewal       *big.Int
	topic                 string
}

// preorder is a preorder.
type preorder struct {
	source
	height, burnHeight int64
	used               *int64
	kind               bns.PreorderKind
	amount             *big.Int
	hash               []byte
	principal          string
}
