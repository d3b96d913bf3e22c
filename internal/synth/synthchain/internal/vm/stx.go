package vm

import (
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
)

// TransferSTX moves STX and reports whether it could. memo is nil if there is none, as in Clarity.
func (x *Execution) TransferSTX(from, to ledger.Party, n uint64, memo []byte) bool {
	if from == to || n == 0 || x.Spendable(from) < n {
		return false
	}
	x.Debit(from, n)
	x.Credit(to, n)
	x.emit(nodejson.STXTransfer(x.Generation, x.text(from), x.text(to), n, memo))
	return true
}

// MintSTX creates STX.
func (x *Execution) MintSTX(to ledger.Party, n uint64) {
	x.Credit(to, n)
	x.Count(ledger.TotalMinted, n)
	x.emit(nodejson.STXMint(x.text(to), n))
}

// BurnSTX destroys STX and reports whether it could.
func (x *Execution) BurnSTX(from ledger.Party, n uint64) bool {
	if n == 0 || x.Spendable(from) < n {
		return false
	}
	x.Debit(from, n)
	x.Count(ledger.TotalBurned, n)
	x.emit(nodejson.STXBurn(x.text(from), n))
	return true
}

// lockSTX sets the lock of an account, which replaces an earlier lock.
func (x *Execution) lockSTX(p ledger.Party, l ledger.Lock) {
	x.Lock.Set(p, l)
	x.emit(nodejson.STXLock(x.Generation, x.text(l.Contract), x.text(p), l.Amount, l.Until))
}
