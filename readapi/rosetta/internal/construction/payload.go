package construction

import (
	"encoding/hex"
	"math/big"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/domain/transaction"
	"strata/readapi/rosetta/internal/fault"
)

// newestPox is the stacking contract that a request is for if it names none.
const newestPox = "pox-4"

// oldestPox has no signers.
const oldestPox = "pox"

// payload returns what a transaction with the options does. draft tells whether members that only the chain or a
// signer knows may be missing: then the payload has the right size, but not the right content.
func (b *Builder) payload(o Options, draft bool) (transaction.Payload, error) {
	switch text(o["type"]) {
	case typeTransfer:
		return b.transferPayload(o)
	case typeCall:
		return callPayload(o)
	case typeDeploy:
		return deployPayload(o)
	case typeStack, typeDelegate:
		contract, err := b.poxContract(o, draft)
		if err != nil {
			return nil, err
		}
		if o["type"] == typeStack {
			return b.stackPayload(o, contract, draft)
		}
		return b.delegatePayload(o, contract)
	}
	return nil, fault.New(fault.InvalidOperation)
}

func (b *Builder) transferPayload(o Options) (transaction.Payload, error) {
	recipient, err := clarity.ParsePrincipal(text(o["token_transfer_recipient_address"]))
	if err != nil {
		return nil, fault.New(fault.InvalidRecipient)
	}
	amount, ok := wholeNumber(o["amount"])
	if !ok || !amount.IsUint64() {
		return nil, fault.New(fault.MissingAmount)
	}
	memo, err := transaction.NewMemo(text(o["memo"]))
	if err != nil {
		return nil, fault.Newf(fault.InvalidOperation, "a memo has at most %d bytes", transaction.MemoSize)
	}
	return &transaction.TokenTransfer{Recipient: recipient, Amount: amount.Uint64(), Memo: memo}, nil
}

func callPayload(o Options) (transaction.Payload, error) {
	contract, err := clarity.ParsePrincipal(text(o["contract_identifier"]))
	if err != nil || contract.Contract == "" || !clarity.IsName(text(o["function_name"])) {
		return nil, fault.Newf(fault.InvalidOperation, "a call names a contract and a function")
	}
	list, _ := o["args"].([]any)
	values := make([]clarity.Value, 0, len(list))
	for _, element := range list {
		raw, err := hex.DecodeString(strings.TrimPrefix(text(element), "0x"))
		if err != nil {
			return nil, fault.Newf(fault.InvalidOperation, "argument %q is not hex", text(element))
		}
		value, err := clarity.DecodeAll(raw, clarity.Strict())
		if err != nil {
			return nil, fault.Newf(fault.InvalidOperation, "argument %q is no Clarity value: %s", text(element), err)
		}
		values = append(values, value)
	}
	arguments, err := transaction.NewArguments(values...)
	if err != nil {
		return nil, fault.Newf(fault.InvalidOperation, "%s", err)
	}
	return &transaction.ContractCall{Contract: contract, Function: text(o["function_name"]), Arguments: arguments}, nil
}

func deployPayload(o Options) (transaction.Payload, error) {
	name := text(o["contract_name"])
	if !clarity.IsContractName(name) {
		return nil, fault.New(fault.MissingContractName)
	}
	deploy := transaction.SmartContract{ContractName: name, Code: []byte(text(o["source_code"]))}
	if o["clarity_version"] == nil {
		return &deploy, nil
	}
	version, ok := wholeNumber(o["clarity_version"])
	if !ok || !version.IsUint64() || version.Uint64() > 255 {
		return nil, fault.Newf(fault.InvalidOperation, "clarity_version %v is no version", o["clarity_version"])
	}
	return &transaction.VersionedSmartContract{ClarityVersion: uint8(version.Uint64()), SmartContract: deploy}, nil
}

// poxContract returns the stacking contract that the options name.
func (b *Builder) poxContract(o Options, draft bool) (clarity.Principal, error) {
	name := text(o["contract_name"])
	if draft && name == "" {
		name = newestPox
		if o["type"] == typeDelegate {
			name = oldestPox
		}
	}
	address := c32.Address{Version: c32.TestnetSingle}
	if b.mainnet() {
		address.Version = c32.MainnetSingle
	}
	if given := text(o["contract_address"]); given != "" {
		parsed, err := c32.ParseAddress(given)
		if err != nil {
			return clarity.Principal{}, fault.New(fault.MissingContractAddress)
		}
		address = parsed
	} else if !draft {
		return clarity.Principal{}, fault.New(fault.MissingContractAddress)
	}
	if !clarity.IsContractName(name) {
		return clarity.Principal{}, fault.New(fault.MissingContractName)
	}
	return clarity.Principal{Address: address, Contract: name}, nil
}

// rewardAddress returns the tuple of a Bitcoin address. Test networks take addresses of either network, because the
// tuple does not tell them apart.
func (b *Builder) rewardAddress(address string) (clarity.Value, error) {
	parsed, err := bitcoin.ParsePoxAddress(address, b.Bitcoin)
	if err != nil && !b.mainnet() {
		parsed, err = bitcoin.ParsePoxAddress(address, bitcoin.Mainnet)
	}
	if err != nil {
		return clarity.Value{}, fault.Newf(fault.InvalidOperation, "pox_addr %q is no Bitcoin address", address)
	}
	return pox.AddressValue(parsed)
}

// arguments collects the arguments of a call, and what is wrong with the first bad one.
type arguments struct {
	values []clarity.Value
	err    error
}

func (a *arguments) add(v clarity.Value, err error) {
	if a.err == nil {
		a.values, a.err = append(a.values, v), err
	}
}

// uint adds a number of the options; def stands for a missing one, nil for none.
func (a *arguments) uint(o Options, name string, def *big.Int) {
	n, ok := wholeNumber(o[name])
	switch {
	case ok:
	case o[name] == nil && def != nil:
		n = def
	case a.err == nil:
		a.err = fault.Newf(fault.InvalidOperation, "%s is missing, or is no number", name)
		return
	}
	a.add(clarity.NewUint(n))
}

// call returns the call of a function of a stacking contract.
func (a *arguments) call(contract clarity.Principal, function string) (transaction.Payload, error) {
	if a.err != nil {
		return nil, a.err
	}
	list, err := transaction.NewArguments(a.values...)
	if err != nil {
		return nil, fault.Newf(fault.InvalidOperation, "%s", err)
	}
	return &transaction.ContractCall{Contract: contract, Function: function, Arguments: list}, nil
}

func (b *Builder) stackPayload(o Options, contract clarity.Principal, draft bool) (transaction.Payload, error) {
	var unknown *big.Int // stands for what only the chain knows
	if draft {
		unknown = new(big.Int)
	}
	a := &arguments{}
	a.uint(o, "amount", nil)
	a.add(b.rewardAddress(text(o["pox_addr"])))
	a.uint(o, "burn_block_height", unknown)
	a.uint(o, "number_of_cycles", nil)
	if contract.Contract != newestPox {
		return a.call(contract, "stack-stx")
	}
	a.signature(o, draft)
	a.buffer(o, "signer_key")
	amount, _ := wholeNumber(o["amount"])
	if _, ok := wholeNumber(o["reward_cycle_id"]); !ok && !draft && a.err == nil {
		a.err = fault.Newf(fault.InvalidOperation, "reward_cycle_id is missing, or is no number")
	}
	a.uint(o, "pox_max_amount", amount)
	a.uint(o, "pox_auth_id", unknown)
	return a.call(contract, "stack-stx")
}

// signature adds the signer's signature, or none.
func (a *arguments) signature(o Options, draft bool) {
	given := text(o["signer_signature"])
	if given == "" && draft && text(o["signer_private_key"]) != "" {
		given = strings.Repeat("00", 65)
	}
	if given == "" {
		a.add(clarity.NewNone(), nil)
		return
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(given, "0x"))
	if err != nil || len(raw) != 65 {
		a.add(clarity.Value{}, fault.Newf(fault.InvalidOperation, "signer_signature is not 65 bytes of hex"))
		return
	}
	value, err := clarity.NewBuffer(raw)
	a.add(clarity.NewSome(value), err)
}

func (a *arguments) buffer(o Options, name string) {
	raw, err := hex.DecodeString(strings.TrimPrefix(text(o[name]), "0x"))
	if err != nil || len(raw) == 0 {
		a.add(clarity.Value{}, fault.Newf(fault.InvalidOperation, "%s is missing, or is not hex", name))
		return
	}
	a.add(clarity.NewBuffer(raw))
}

func (b *Builder) delegatePayload(o Options, contract clarity.Principal) (transaction.Payload, error) {
	a := &arguments{}
	a.uint(o, "amount", nil)
	pool, err := clarity.ParsePrincipal(text(o["delegate_to"]))
	if err != nil {
		return nil, fault.Newf(fault.InvalidOperation, "delegate_to is no principal")
	}
	a.add(clarity.NewPrincipal(pool))
	if o["burn_block_height"] == nil {
		a.add(clarity.NewNone(), nil)
	} else {
		a.uint(o, "burn_block_height", nil)
		a.some()
	}
	if text(o["pox_addr"]) == "" {
		a.add(clarity.NewNone(), nil)
	} else {
		a.add(b.rewardAddress(text(o["pox_addr"])))
		a.some()
	}
	return a.call(contract, "delegate-stx")
}

// some wraps the last argument in some.
func (a *arguments) some() {
	if last := len(a.values) - 1; a.err == nil && last >= 0 {
		a.values[last] = clarity.NewSome(a.values[last])
	}
}
