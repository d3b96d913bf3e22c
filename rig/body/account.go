package body

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
)

// Account is the name of an account. Its key is made from the name.
type Account string

func (a Account) key() key.Private { return key.FromSeed([]byte(a)) }

// Address returns the account's address on testnet.
func (a Account) Address() string { return a.key().Address(false).String() }

// Principal returns the account's principal on testnet.
func (a Account) Principal() clarity.Principal {
	return clarity.Principal{Address: a.key().Address(false)}
}

// Sign returns the bytes of a transaction that the account signs.
func (a Account) Sign(nonce, fee uint64, payload transaction.Payload) []byte {
	tx := newTransaction(transaction.Draft{Network: transaction.Testnet, Nonce: nonce, Fee: fee}, payload)
	must(transaction.Sign(tx, a.key()))
	return tx.Encode()
}

// Sponsor returns the bytes of a transaction of the account for which sponsor pays the fee. The account itself states
// another fee.
func (a Account) Sponsor(nonce uint64, sponsor Account, sponsorNonce, fee uint64, payload transaction.Payload) []byte {
	tx := newTransaction(transaction.Draft{Network: transaction.Testnet, Nonce: nonce, Fee: fee + 1, Sponsored: true}, payload)
	must(transaction.Sign(tx, a.key()))
	tx.Sponsor.Nonce, tx.Sponsor.Fee = sponsorNonce, fee
	must(transaction.SignSponsor(tx, sponsor.key()))
	return tx.Encode()
}

// Boot returns the bytes of a transaction that a node makes itself: it comes from the boot address, and nobody signs it.
func Boot(payload transaction.Payload) []byte {
	return newTransaction(transaction.Draft{Network: transaction.Testnet}, payload).Encode()
}

func newTransaction(draft transaction.Draft, payload transaction.Payload) *transaction.Transaction {
	tx, err := draft.Transaction(payload)
	must(err)
	return tx
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
