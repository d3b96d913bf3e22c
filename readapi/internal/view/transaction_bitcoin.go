package view

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
)

// Boot addresses: those of twenty zero bytes.
var (
	bootMainnet = c32.Address{Version: c32.MainnetSingle}
	bootTestnet = c32.Address{Version: c32.TestnetSingle}
)

const votingContract = "signers-voting"

// operatedContracts are those that operations from Bitcoin call.
var operatedContracts = []string{"pox", "pox-2", "pox-3", "pox-4", "pox-5", votingContract}

// bitcoinOperation is an operation that came from Bitcoin as a transaction that would have done the same: a transfer, or
// a call of a boot contract. What it did is in its events; what it should have done, and more of it, in the node's words on
// it. Nodes before 2.1 said nothing, so that of an operation that they refused nothing is known.
func bitcoinOperation(network string, r *TransactionRow, events []EventRow) *transaction.Transaction {
	tx := undecoded(r.RawTx)
	var said operationSaid
	if r.burnchainOp != nil {
		if err := json.Unmarshal([]byte(*r.burnchainOp), &said); err != nil {
			said = operationSaid{}
		}
	}
	o := bitcoinAct{network: network, row: r, said: said, events: events}
	for _, read := range []func() (transaction.Payload, error){o.transfer, o.stack, o.lock, o.delegate, o.vote} {
		if payload, err := read(); err == nil {
			tx.Payload = payload
			break
		}
	}
	return tx
}

// bitcoinAct is an operation from Bitcoin, and what is known of it.
type bitcoinAct struct {
	network string
	row     *TransactionRow
	said    operationSaid
	events  []EventRow
}

// operationSaid is what nodes say of operations from Bitcoin. Which of the members there are tells the kinds apart.
type operationSaid struct {
	BurnBlockHeight uint64           `json:"burn_block_height"`
	Sender          operationAddress `json:"sender"`

	Recipient   operationAddress `json:"recipient"`
	Transferred *json.Number     `json:"transfered_ustx"` // their spelling
	Memo        string           `json:"memo"`

	Stacked   *json.Number    `json:"stacked_ustx"`
	NumCycles uint64          `json:"num_cycles"`
	Reward    json.RawMessage `json:"reward_addr"` // an address; of delegations, the number of an output and an address
	SignerKey string          `json:"signer_key"`
	MaxAmount *json.Number    `json:"max_amount"`
	AuthID    *json.Number    `json:"auth_id"`

	Delegated  *json.Number     `json:"delegated_ustx"`
	DelegateTo operationAddress `json:"delegate_to"`
	Until      *json.Number     `json:"until_burn_height"`

	AggregateKey string      `json:"aggregate_key"`
	RewardCycle  json.Number `json:"reward_cycle"`
	Round        json.Number `json:"round"`
	SignerIndex  json.Number `json:"signer_index"`
}

type operationAddress struct {
	Address string `json:"address"`
}

// errOtherOperation says that an operation is of another kind, or that not enough is known of it.
var errOtherOperation = errors.New("not this kind of operation")

// event is the first event of a type; ok is false when there is none.
func (o *bitcoinAct) event(kind string) (e *EventRow, ok bool) {
	for i := range o.events {
		if o.events[i].Kind == kind {
			return &o.events[i], true
		}
	}
	return nil, false
}

// transfer is a transfer of STX.
func (o *bitcoinAct) transfer() (transaction.Payload, error) {
	recipient, amount, memo := o.said.Recipient.Address, string(ValueOf(o.said.Transferred)), hexBytes(o.said.Memo)
	if e, ok := o.event("stx_transfer_event"); ok {
		recipient, amount = ValueOf(e.Recipient), ValueOf(e.Amount)
		if len(e.Memo) > 0 {
			memo = e.Memo
		}
	}
	to, err := clarity.ParsePrincipal(recipient)
	if err != nil {
		return nil, errOtherOperation
	}
	n, err := strconv.ParseUint(amount, 10, 64)
	if err != nil {
		return nil, errOtherOperation
	}
	transfer := &transaction.TokenTransfer{Recipient: to, Amount: n}
	copy(transfer.Memo[:], memo)
	return transfer, nil
}

// stack is stack-stx in the node's words.
func (o *bitcoinAct) stack() (transaction.Payload, error) {
	if o.said.Stacked == nil {
		return nil, errOtherOperation
	}
	var reward string
	if err := json.Unmarshal(o.said.Reward, &reward); err != nil {
		return nil, errOtherOperation
	}
	a := arguments{}
	a.number(string(*o.said.Stacked))
	a.reward(rewardAddress(o.network, reward))
	a.add(clarity.NewUint64(o.said.BurnBlockHeight), nil)
	a.add(clarity.NewUint64(o.said.NumCycles), nil)
	contract := o.lockedBy()
	if o.said.SignerKey != "" {
		contract = "pox-4"
		a.add(clarity.NewNone(), nil) // the signature: Bitcoin has it
		a.buffer(hexBytes(o.said.SignerKey))
		a.number(string(ValueOf(o.said.MaxAmount)))
		a.number(string(ValueOf(o.said.AuthID)))
	}
	return a.call(bootContract(o.network, contract), "stack-stx")
}

// lockedBy is the name of the stacking contract that locked, as the event says; those of nodes before 2.1 don't.
func (o *bitcoinAct) lockedBy() string {
	if e, ok := o.event("stx_lock_event"); ok {
		if _, name, ok := strings.Cut(ValueOf(e.Contract), "."); ok {
			return name
		}
	}
	return "pox"
}

// Bitcoin blocks of a reward cycle: of mainnet, and of others.
const (
	cycleMainnet = 2100
	cycleTestnet = 50
)

// lock is stack-stx of which only the effect is known.
func (o *bitcoinAct) lock() (transaction.Payload, error) {
	e, ok := o.event("stx_lock_event")
	if !ok {
		return nil, errOtherOperation
	}
	reward, err := o.lockedReward(e)
	locked := ValueOf(e.Amount)
	if result, failed := clarity.DecodeAll(o.row.rawResult); failed == nil {
		if done, ok := result.Inner(); ok {
			if amount, ok := done.Field("lock-amount"); ok {
				locked, _ = amount.Decimal()
			}
		}
	}
	cycle := int64(cycleMainnet)
	if o.network != engine.NetworkDefault {
		cycle = cycleTestnet
	}
	period := max(ValueOf(e.UnlockHeight)-o.row.BurnBlockHeight, 0) / cycle
	a := arguments{}
	a.number(locked)
	a.reward(reward, err)
	a.add(clarity.NewUint64(uint64(o.row.BurnBlockHeight)), nil)
	a.add(clarity.NewUint64(uint64(period)), nil)
	return a.call(bootContract(o.network, o.lockedBy()), "stack-stx")
}

// lockedReward is the address of the rewards of a lock: what the contract printed, else the stacker's own on Bitcoin.
func (o *bitcoinAct) lockedReward(e *EventRow) (bitcoin.PoxAddress, error) {
	if printed, ok := o.printed(); ok && printed.PoxAddress != nil {
		return *printed.PoxAddress, nil
	}
	stacker, err := clarity.ParsePrincipal(ValueOf(e.Sender))
	if err != nil {
		return bitcoin.PoxAddress{}, err
	}
	return rewardAddress(o.network, bitcoin.FromStacks(stacker.Address))
}

// printed is what a stacking contract printed.
func (o *bitcoinAct) printed() (pox.Event, bool) {
	for i := range o.events {
		if o.events[i].Kind != "contract_event" {
			continue
		}
		v, err := clarity.DecodeAll(o.events[i].Value)
		if err != nil {
			continue
		}
		if e, ok, err := pox.Decode(v); ok && err == nil {
			return e, true
		}
	}
	return pox.Event{}, false
}

// delegate is delegate-stx.
func (o *bitcoinAct) delegate() (transaction.Payload, error) {
	contract, a := "pox-4", arguments{}
	for i := range o.events {
		if o.events[i].Kind == "contract_event" {
			_, contract, _ = strings.Cut(ValueOf(o.events[i].Contract), ".")
		}
	}
	printed, ok := o.printed()
	switch {
	case o.said.Delegated != nil:
		a.number(string(*o.said.Delegated))
		a.principal(o.said.DelegateTo.Address)
		a.optionalNumber(o.said.Until)
		var reward [2]any
		_ = json.Unmarshal(o.said.Reward, &reward) // what is no such pair names no address
		if address, ok := reward[1].(string); ok {
			a.optionalReward(rewardAddress(o.network, address))
		} else {
			a.add(clarity.NewNone(), nil)
		}
	case ok && printed.Name == "delegate-stx" && printed.Data.AmountUstx != nil && printed.Data.DelegateTo != nil:
		a.add(clarity.NewUint(printed.Data.AmountUstx))
		a.add(clarity.NewPrincipal(*printed.Data.DelegateTo))
		if until := printed.Data.UnlockBurnHeight; until != nil {
			n := json.Number(until.String())
			a.optionalNumber(&n)
		} else {
			a.optionalNumber(nil)
		}
		if printed.PoxAddress != nil {
			a.optionalReward(*printed.PoxAddress, nil)
		} else {
			a.add(clarity.NewNone(), nil)
		}
	default:
		return nil, errOtherOperation
	}
	return a.call(bootContract(o.network, contract), "delegate-stx")
}

// vote is a signer's vote for the key of all signers.
func (o *bitcoinAct) vote() (transaction.Payload, error) {
	if o.said.AggregateKey == "" {
		return nil, errOtherOperation
	}
	a := arguments{}
	a.number(string(o.said.SignerIndex))
	a.buffer(hexBytes(o.said.AggregateKey))
	a.number(string(o.said.Round))
	a.number(string(o.said.RewardCycle))
	return a.call(bootContract(o.network, votingContract), "vote-for-aggregate-public-key")
}

// rewardAddress reads a Bitcoin address of the network. What is no mainnet may be testnet or a private network.
func rewardAddress(network, text string) (bitcoin.PoxAddress, error) {
	if network == engine.NetworkDefault {
		return bitcoin.ParsePoxAddress(text, bitcoin.Mainnet)
	}
	address, err := bitcoin.ParsePoxAddress(text, bitcoin.Testnet)
	if err != nil {
		address, err = bitcoin.ParsePoxAddress(text, bitcoin.Regtest)
	}
	return address, err
}

// arguments are those of a call as they are put together; err is the first that could not be made.
type arguments struct {
	values []clarity.Value
	err    error
}

func (a *arguments) add(v clarity.Value, err error) {
	a.values = append(a.values, v)
	if a.err == nil {
		a.err = err
	}
}

func (a *arguments) number(decimal string) { a.add(uintValue(decimal)) }

func (a *arguments) optionalNumber(n *json.Number) {
	if n == nil {
		a.add(clarity.NewNone(), nil)
		return
	}
	v, err := uintValue(string(*n))
	a.add(clarity.NewSome(v), err)
}

func (a *arguments) buffer(b []byte) { a.add(clarity.NewBuffer(b)) }

func (a *arguments) principal(text string) {
	p, err := clarity.ParsePrincipal(text)
	if err != nil {
		a.add(clarity.NewNone(), err)
		return
	}
	a.add(clarity.NewPrincipal(p))
}

func (a *arguments) reward(address bitcoin.PoxAddress, err error) {
	if err != nil {
		a.add(clarity.NewNone(), err)
		return
	}
	a.add(pox.AddressValue(address))
}

func (a *arguments) optionalReward(address bitcoin.PoxAddress, err error) {
	a.reward(address, err)
	last := len(a.values) - 1
	a.values[last] = clarity.NewSome(a.values[last])
}

// call is a call with these arguments.
func (a *arguments) call(contract clarity.Principal, function string) (transaction.Payload, error) {
	if a.err != nil {
		return nil, a.err
	}
	passed, err := transaction.NewArguments(a.values...)
	if err != nil {
		return nil, err
	}
	return &transaction.ContractCall{Contract: contract, Function: function, Arguments: passed}, nil
}

func uintValue(decimal string) (clarity.Value, error) {
	n, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		return clarity.NewNone(), errOtherOperation
	}
	return clarity.NewUint(n)
}

// hexBytes are bytes in hex, with or without 0x; none for what is not hex.
func hexBytes(text string) []byte {
	b, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil
	}
	return b
}
