package balances

import (
	"crypto/sha256"
	"math/big"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/pox"
	"strata/projections"
)

// STX is the name of STX among the ledger's assets. All others are tokens, named by their asset identifiers.
const STX = "stx"

// Kinds of assets.
const (
	kindSTX = "stx"
	kindFT  = "ft"
	kindNFT = "nft"
)

// Causes that are not event types.
const (
	causeFee          = "fee"
	causeMinerReward  = "miner_reward"
	causeHandleUnlock = "handle-unlock"
)

// causes are the numbers of causes in the table entry, from 1. The view ledger has the same.
var causes = func() map[string]int16 {
	numbers := map[string]int16{}
	for i, cause := range []string{
		nodeevent.TypeSTXTransfer, nodeevent.TypeSTXMint, nodeevent.TypeSTXBurn, nodeevent.TypeFTTransfer, nodeevent.TypeFTMint, nodeevent.TypeFTBurn,
		nodeevent.TypeNFTTransfer, nodeevent.TypeNFTMint, nodeevent.TypeNFTBurn, causeFee, causeMinerReward,
	} {
		numbers[cause] = int16(i + 1)
	}
	return numbers
}()

// origin is the place in the log that an effect comes from.
type origin struct {
	height  int64
	seq     int64
	tx      *int32
	event   int32 // index of the event in its transaction
	place   int32 // index of the cause in its list of the event's body
	pointer string
	cause   string
}

// change is an entry of the ledger that has no number and balance yet.
type change struct {
	origin
	account, asset, kind string
	delta                *big.Int
	column               column
	issue                issue
	coinbase             *big.Int // the newly created part of a miner reward; nil for other changes
	mint                 int64    // number of mints of the asset up to and including this change
}

// column is the running sum that a change adds to.
type column int

const (
	columnSent column = iota
	columnReceived
	columnFees
	columnRewards
)

// custody is an event of one non-fungible token.
type custody struct {
	origin
	key               tokenKey
	value             []byte
	sender, recipient string
	change            int // index of the recipient's change among those of the block; -1 without a recipient
}

// lock is the state of an account's lock after a change.
type lock struct {
	origin
	account      string
	amount       *big.Int
	unlockHeight int64
	poxVersion   int
	position     int
	txid         hash.Hash32
}

// use is the use of a nonce by an account.
type use struct {
	origin
	account string
	next    *big.Int
}

// effects are the effects of one block, in the order of execution.
type effects struct {
	changes []change
	custody []custody
	locks   []lock
	uses    []use
}

// effectsOf returns the effects of a block. They depend on its content only.
func effectsOf(step projections.Step) effects {
	var (
		e         effects
		content   = step.Block
		effective = content.EffectiveEvents()
	)
	for _, tx := range content.ExecutionOrder() {
		index := int32(tx.Index)
		from := origin{height: step.Height, seq: step.BlockSeq, tx: &index}
		for i, event := range effective[tx.Index] {
			from.pointer, from.place, from.cause, from.event = event.Pointer(), int32(event.Index), event.Type, int32(i)
			e.event(from, tx, event)
		}
		from.pointer, from.place, from.cause = tx.Pointer(), index, causeFee
		e.transaction(from, tx, content)
	}
	for i := range content.MaturedRewards {
		reward := &content.MaturedRewards[i]
		from := origin{height: step.Height, seq: step.BlockSeq, place: int32(reward.Index), pointer: reward.Pointer(), cause: causeMinerReward}
		e.change(from, projections.Text(reward.Recipient), STX, kindSTX, reward.Total(), columnRewards)
		if n := len(e.changes) - 1; n >= 0 && e.changes[n].pointer == from.pointer {
			e.changes[n].coinbase = reward.Coinbase
		}
	}
	return e
}

// transaction charges the fee and uses the nonces. Boot and phantom transactions, which nobody signed, and
// operations from Bitcoin have neither.
func (e *effects) transaction(from origin, tx *nodeevent.Transaction, content *projections.Block) {
	decoded := content.Decoded[tx.Index]
	if decoded == nil || decoded.IsBoot() {
		return
	}
	e.change(from, decoded.FeePayer().String(), STX, kindSTX, new(big.Int).SetUint64(decoded.Fee()), columnFees)
	sender := decoded.Sender().String()
	e.uses = append(e.uses, use{origin: from, account: sender, next: after(decoded.Nonce())})
	if nonce, ok := decoded.SponsorNonce(); ok {
		if sponsor := decoded.FeePayer().String(); sponsor != sender {
			e.uses = append(e.uses, use{origin: from, account: sponsor, next: after(nonce)})
		}
	}
}

func after(nonce uint64) *big.Int {
	next := new(big.Int).SetUint64(nonce)
	return next.Add(next, big.NewInt(1))
}

// event adds the effects of a committed event of a successful transaction.
func (e *effects) event(from origin, tx *nodeevent.Transaction, event *nodeevent.Event) {
	switch d := event.Data.(type) {
	case *nodeevent.STXTransfer:
		e.move(from, d.Sender, d.Recipient, STX, kindSTX, d.Amount)
	case *nodeevent.STXMint:
		e.move(from, "", d.Recipient, STX, kindSTX, d.Amount)
	case *nodeevent.STXBurn:
		e.move(from, d.Sender, "", STX, kindSTX, d.Amount)
	case *nodeevent.FTTransfer:
		e.move(from, d.Sender, d.Recipient, d.Asset, kindFT, d.Amount)
	case *nodeevent.FTMint:
		e.move(from, "", d.Recipient, d.Asset, kindFT, d.Amount)
	case *nodeevent.FTBurn:
		e.move(from, d.Sender, "", d.Asset, kindFT, d.Amount)
	case *nodeevent.NFTTransfer:
		e.give(from, d.Sender, d.Recipient, d.Asset, d.RawValue)
	case *nodeevent.NFTMint:
		e.give(from, "", d.Recipient, d.Asset, d.RawValue)
	case *nodeevent.NFTBurn:
		e.give(from, d.Sender, "", d.Asset, d.RawValue)
	case *nodeevent.STXLock:
		e.lock(from, tx, d.Address, d.Amount, int64(d.UnlockHeight), poxVersion(d.Contract))
	case *nodeevent.ContractEvent:
		e.print(from, tx, d)
	}
}

// move debits sender and credits recipient, either of which may be missing.
func (e *effects) move(from origin, sender, recipient, asset, kind string, amount *big.Int) {
	asset = projections.Text(asset)
	if sender != "" {
		e.change(from, projections.Text(sender), asset, kind, amount, columnSent)
		if recipient == "" {
			e.changes[len(e.changes)-1].issue = issueBurn
		}
	}
	if recipient != "" {
		e.change(from, projections.Text(recipient), asset, kind, amount, columnReceived)
		if sender == "" {
			e.changes[len(e.changes)-1].issue = issueMint
		}
	}
}

func (e *effects) change(from origin, account, asset, kind string, amount *big.Int, col column) {
	if amount.Sign() == 0 && (col == columnFees || col == columnRewards) {
		return // no payment, no ledger row
	}
	delta := amount
	if col == columnSent || col == columnFees {
		delta = new(big.Int).Neg(amount)
	}
	e.changes = append(e.changes, change{origin: from, account: account, asset: asset, kind: kind, delta: delta, column: col})
}

var one = big.NewInt(1)

// give moves a non-fungible token: one unit in the ledger, and an event in the token's own history.
func (e *effects) give(from origin, sender, recipient, asset string, value []byte) {
	e.move(from, sender, recipient, asset, kindNFT, one)
	change := -1
	if recipient != "" {
		change = len(e.changes) - 1
	}
	e.custody = append(e.custody, custody{
		origin: from, key: tokenKey{asset: projections.Text(asset), value: sha256.Sum256(value)}, value: value,
		sender: projections.Text(sender), recipient: projections.Text(recipient), change: change,
	})
}

func (e *effects) lock(from origin, tx *nodeevent.Transaction, account string, amount *big.Int, unlockHeight int64, version int) {
	e.locks = append(e.locks, lock{
		origin: from, account: projections.Text(account), amount: amount, unlockHeight: unlockHeight,
		poxVersion: version, position: len(e.locks), txid: tx.TxID,
	})
}

// print looks for the only print that changes a lock: pox-2 and pox-3 report an early unlock, for which there is no
// lock event. Prints that can't be decoded are ignored, as contracts may print anything.
func (e *effects) print(from origin, tx *nodeevent.Transaction, d *nodeevent.ContractEvent) {
	contract, err := clarity.ParsePrincipal(d.Contract)
	if err != nil || d.Topic != "print" {
		return
	}
	version, ok := pox.Version(contract)
	if !ok || version < 2 || version > 4 {
		return
	}
	value, err := clarity.DecodeAll(d.RawValue)
	if err != nil {
		return
	}
	event, ok, err := pox.Decode(value)
	if err != nil || !ok || event.Name != causeHandleUnlock {
		return
	}
	from.cause = causeHandleUnlock
	unlockHeight := int64(0)
	if event.BurnchainUnlockHeight != nil && event.BurnchainUnlockHeight.IsInt64() {
		unlockHeight = event.BurnchainUnlockHeight.Int64()
	}
	// The lock lasts until that Bitcoin height, which may be above that of the block.
	e.lock(from, tx, event.Stacker.String(), event.Locked, unlockHeight, version)
}

// poxVersion returns the version of the stacking contract that a lock event names. Before release 2.1 the event names
// none, and there was only version 1. An unknown contract has version 0: its forced unlock height is unknown, too.
func poxVersion(contract string) int {
	if contract == "" {
		return 1
	}
	principal, err := clarity.ParsePrincipal(contract)
	if err != nil {
		return 0
	}
	version, _ := pox.Version(principal)
	return version
}
