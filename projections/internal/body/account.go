package body

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
)

// Account is somebody with a key, by name.
type Account string

func (a Account) key() key.Private { return key.FromSeed([]byte(a)) }

// Address on testnet.
func (a Account) Address() string { return a.key().Address(false).String() }

// Principal on testnet.
func (a Account) Principal() clarity.Principal {
	return clarity.Principal{Address: a.key().Address(false)}
}

// Sign makes the bytes of a transaction that the account sends.
func (a Account) Sign(nonce, fee uint64, payload transaction.Payload) []byte {
	tx := drafted(transaction.Draft{Network: transaction.Testnet, Nonce: nonce, Fee: fee}, payload)
	must(transaction.Sign(tx, a.key()))
	return tx.Encode()
}

// Sponsor makes the bytes of a transaction of the account, which says another fee, that a sponsor pays for.
func (a Account) Sponsor(nonce uint64, sponsor Account, sponsorNonce, fee uint64, payload transaction.Payload) []byte {
	tx := drafted(transaction.Draft{Network: transaction.Testnet, Nonce: nonce, Fee: fee + 1, Sponsored: true}, payload)
	must(transaction.Sign(tx, a.key()))
	tx.Sponsor.Nonce, tx.Sponsor.Fee = sponsorNonce, fee
	must(transaction.SignSponsor(tx, sponsor.key()))
	return tx.Encode()
}

// Boot makes the bytes of a transaction that a node makes itself: from the boot address, signed by nobody.
func Boot(payload transaction.Payload) []byte {
	return drafted(transaction.Draft{Network: transaction.Testnet}, payload).Encode()
}

func drafted(draft transaction.Draft, payload transaction.Payload) *transaction.Transaction {
	tx, err := draft.Transaction(payload)
	must(err)
	return tx
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
