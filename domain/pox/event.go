package pox

import (
	"errors"
	"fmt"
	"math/big"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
)

// ErrEvent is returned for a printed value that does not have the form of an event. Callers keep the raw event.
var ErrEvent = errors.New("not a proof-of-transfer event")

// Event is a stacking operation as pox-2, pox-3 or pox-4 reports it. Amounts are in microSTX; heights are those of the
// Bitcoin chain. The printed value holds the state of the account before the operation, but Balance, Locked and
// BurnchainUnlockHeight hold the state after it.
type Event struct {
	Name                  string
	Stacker               clarity.Principal // in aggregation events the operator of the pool
	Balance               *big.Int          // spendable
	Locked                *big.Int
	BurnchainUnlockHeight *big.Int
	PoxAddress            *bitcoin.PoxAddress // nil if the event has none
	Data                  Data
}

// Data holds the data tuple of an event. Fields that the event does not have are nil.
type Data struct {
	FirstCycleLocked   *big.Int
	FirstUnlockedCycle *big.Int
	LockAmount         *big.Int
	LockPeriod         *big.Int
	StartBurnHeight    *big.Int
	UnlockBurnHeight   *big.Int
	IncreaseBy         *big.Int
	TotalLocked        *big.Int
	ExtendCount        *big.Int
	AmountUstx         *big.Int
	RewardCycle        *big.Int
	RewardCycleIndex   *big.Int
	StartCycleID       *big.Int
	EndCycleID         *big.Int
	MaxAmount          *big.Int
	AuthID             *big.Int
	SignerKey          []byte
	SignerSig          []byte
	Delegator          *clarity.Principal
	DelegateTo         *clarity.Principal
}

// pointer returns a pointer to the member for a field of the data tuple: a **big.Int, a *[]byte or a
// **clarity.Principal.
func (d *Data) pointer(field string) any {
	switch field {
	case "first-cycle-locked":
		return &d.FirstCycleLocked
	case "first-unlocked-cycle":
		return &d.FirstUnlockedCycle
	case "lock-amount":
		return &d.LockAmount
	case "lock-period":
		return &d.LockPeriod
	case "start-burn-height":
		return &d.StartBurnHeight
	case "unlock-burn-height":
		return &d.UnlockBurnHeight
	case "increase-by":
		return &d.IncreaseBy
	case "total-locked":
		return &d.TotalLocked
	case "extend-count":
		return &d.ExtendCount
	case "amount-ustx":
		return &d.AmountUstx
	case "reward-cycle":
		return &d.RewardCycle
	case "reward-cycle-index":
		return &d.RewardCycleIndex
	case "start-cycle-id":
		return &d.StartCycleID
	case "end-cycle-id":
		return &d.EndCycleID
	case "max-amount":
		return &d.MaxAmount
	case "auth-id":
		return &d.AuthID
	case "signer-key":
		return &d.SignerKey
	case "signer-sig":
		return &d.SignerSig
	case "delegator":
		return &d.Delegator
	case "delegate-to":
		return &d.DelegateTo
	}
	return nil
}

// Decode decodes a value printed by pox-2, pox-3 or pox-4. It returns false without an error for the response of a
// failed call, (err …), because that is not an event. It returns ErrEvent for any other value without the form of an
// event: one with another shape, an unknown name or a missing field.
func Decode(v clarity.Value) (Event, bool, error) {
	if v.Type() == clarity.TypeErr {
		return Event{}, false, nil
	}
	if v.Type() != clarity.TypeOk {
		return Event{}, false, fmt.Errorf("%w: want a response, have %s", ErrEvent, describe(v))
	}
	body, _ := v.Inner()
	e, err := decode(body)
	return e, err == nil, err
}

func decode(body clarity.Value) (e Event, err error) {
	name, _ := body.Field("name")
	if e.Name, _ = name.Text(); e.Name == "" {
		return Event{}, fmt.Errorf("%w: no name in %s", ErrEvent, describe(body))
	}
	l, ok := layouts[e.Name]
	if !ok {
		return Event{}, fmt.Errorf("%w: unknown name %.40q", ErrEvent, e.Name)
	}
	stacker, _ := body.Field("stacker")
	if e.Stacker, ok = stacker.Principal(); !ok {
		return Event{}, fmt.Errorf("%w: %s: stacker is %s", ErrEvent, e.Name, describe(stacker))
	}
	for _, base := range []struct {
		field  string
		target **big.Int
	}{{"balance", &e.Balance}, {"locked", &e.Locked}, {"burnchain-unlock-height", &e.BurnchainUnlockHeight}} {
		if err := readField(body, base.field, base.target, true); err != nil {
			return Event{}, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	data, _ := body.Field("data")
	if err := e.readData(data, l); err != nil {
		return Event{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	if l.apply != nil {
		l.apply(&e)
	}
	return e, nil
}

func (e *Event) readData(data clarity.Value, l layout) error {
	if data.Type() != clarity.TypeTuple {
		return fmt.Errorf("%w: data is %s", ErrEvent, describe(data))
	}
	for _, field := range l.required {
		if err := readField(data, field, e.Data.pointer(field), true); err != nil {
			return err
		}
	}
	for _, field := range l.optional {
		if err := readField(data, field, e.Data.pointer(field), false); err != nil {
			return err
		}
	}
	if l.address == addressAbsent {
		return nil
	}
	address, ok := data.Field("pox-addr")
	if !ok {
		if l.address == addressOptional {
			return nil
		}
		return fmt.Errorf("%w: pox-addr is missing", ErrEvent)
	}
	var err error
	e.PoxAddress, err = Address(address)
	return err
}

// readField stores a field of a tuple in target, a pointer as Data.pointer returns it. The field may be plain or
// wrapped in some. One that is not required may also be none or missing.
func readField(tuple clarity.Value, field string, target any, required bool) error {
	raw, _ := tuple.Field(field)
	v, present := unwrap(raw)
	if !present {
		if required {
			return fmt.Errorf("%w: %s is %s", ErrEvent, field, describe(raw))
		}
		return nil
	}
	ok := false
	switch target := target.(type) {
	case **big.Int:
		if v.Type() == clarity.TypeUint {
			*target, ok = v.Int()
		}
	case *[]byte:
		*target, ok = v.Buffer()
	case **clarity.Principal:
		var p clarity.Principal
		p, ok = v.Principal()
		*target = &p
	}
	if !ok {
		return fmt.Errorf("%w: %s is %s", ErrEvent, field, describe(raw))
	}
	return nil
}
