package transaction_test

import (
	"fmt"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
)

func ExampleDraft() {
	sender := key.FromSeed([]byte("sender"))
	recipient := clarity.Principal{Address: key.FromSeed([]byte("recipient")).Address(false)}

	draft := transaction.Draft{Network: transaction.Testnet, Nonce: 7, Fee: 200}
	tx, err := draft.TokenTransfer(recipient, 1_000_000, "thanks")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := transaction.Sign(tx, sender); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(transaction.TxType(tx.Payload), "of", len(tx.Encode()), "bytes from", tx.Sender(), "with nonce", tx.Nonce())
	fmt.Println(tx.Verify())
	// Output:
	// token_transfer of 180 bytes from ST255D0WX46JK6VB9KT92HQYM1Z60GQ8DMM4D716H with nonce 7
	// <nil>
}
