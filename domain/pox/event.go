package pox

import (
	"errors"
	"fmt"
	"math/big"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
)

// ErrEvent is returned for a print that does not have the form of an event. Callers keep the raw event.
var ErrEvent = errors.New("not a proof-of-transfer event")

// Event is a stacking operation as pox-2, pox-3 or pox-4 reported it. Amounts are in microSTX, heights are those of the
// Bitcoin chain. The print tells the state of the account before the operation; Balance, Locked and
// BurnchainUnlockHeight here are those after it.
type Event struct {
	Name                  string
	Stacker               clarity.Principal // of the aggregation events: the pool's operator
	Balance               *big.Int          // spendable
	Locked                *big.Int
	BurnchainUnlockHeight *big.Int
	PoxAddress            *bitcoin.PoxAddress // nil when the event has none
	Data                  Data
}

// Data holds what an event has besides; what it does not have is nil.
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

// place returns where a field of the data tuple goes: a **big.Int, a *[]byte or a **clarity.Principal.
func (d *Data) place(field string) any {
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

// Decode reads the value printed by pox-2, pox-3 or pox-4. It returns false without an error for the response of a
// failed call, (err …), which is no event, and ErrEvent for what should be one and is not: another shape, an unknown
// name, a missing field.
func Decode(v clarity.Value) (Event, bool, error) {
	if v.Type() == clarity.TypeErr {
		return Event{}, false, nil
	}
	if v.Type() != clarity.TypeOk {
		return Event{}, false, fmt.Errorf("%w: want a response, have %s", ErrEvent, clip(v))
	}
	body, _ := v.Inner()
	e, err := decode(body)
	return e, err == nil, err
}

func decode(body clarity.Value) (e Event, err error) {
	name, _ := body.Field("name")
	if e.Name, _ = name.Text(); e.Name == "" {
		return Event{}, fmt.Errorf("%w: no name in %s", ErrEvent, clip(body))
	}
	shape, ok := layouts[e.Name]
	if !ok {
		return Event{}, fmt.Errorf("%w: unknown name %.40q", ErrEvent, e.Name)
	}
	stacker, _ := body.Field("stacker")
	if e.Stacker, ok = stacker.Principal(); !ok {
		return Event{}, fmt.Errorf("%w: %s: stacker is %s", ErrEvent, e.Name, clip(stacker))
	}
	for _, base := range []struct {
		field string
		to    **big.Int
	}{{"balance", &e.Balance}, {"locked", &e.Locked}, {"burnchain-unlock-height", &e.BurnchainUnlockHeight}} {
		if err := read(body, base.field, base.to, true); err != nil {
			return Event{}, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	data, _ := body.Field("data")
	if err := e.readData(data, shape); err != nil {
		return Event{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	if shape.apply != nil {
		shape.apply(&e)
	}
	return e, nil
}

func (e *Event) readData(data clarity.Value, shape layout) error {
	if data.Type() != clarity.TypeTuple {
		return fmt.Errorf("%w: data is %s", ErrEvent, clip(data))
	}
	for _, field := range shape.required {
		if err := read(data, field, e.Data.place(field), true); err != nil {
			return err
		}
	}
	for _, field := range shape.optional {
		if err := read(data, field, e.Data.place(field), false); err != nil {
			return err
		}
	}
	if shape.address == absent {
		return nil
	}
	address, ok := data.Field("pox-addr")
	if !ok {
		if shape.address == maybe {
			return nil
		}
		return fmt.Errorf("%w: pox-addr is missing", ErrEvent)
	}
	var err error
	e.PoxAddress, err = Address(address)
	return err
}

// read puts a field of a tuple where to points. Optional fields may be plain, in some, none or missing.
func read(tuple clarity.Value, field string, to any, required bool) error {
	found, _ := tuple.Field(field)
	v, present := unwrap(found)
	if !present {
		if required {
			return fmt.Errorf("%w: %s is %s", ErrEvent, field, clip(found))
		}
		return nil
	}
	ok := false
	switch to := to.(type) {
	case **big.Int:
		if v.Type() == clarity.TypeUint {
			*to, ok = v.Int()
		}
	case *[]byte:
		*to, ok = v.Buffer()
	case **clarity.Principal:
		var p clarity.Principal
		p, ok = v.Principal()
		*to = &p
	}
	if !ok {
		return fmt.Errorf("%w: %s is %s", ErrEvent, field, clip(found))
	}
	return nil
}
