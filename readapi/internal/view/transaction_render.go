package view

import (
	"strata/domain/contract"
	"strata/domain/lossy"
	"strata/domain/transaction"
)

// Rendering holds the choices about how transactions are shown.
type Rendering struct {
	// Interfaces are those of the contracts that the transactions call, as Complete returns them.
	Interfaces CalledInterfaces
	// WithoutArguments omits the arguments of contract calls.
	WithoutArguments bool
}

// RenderTransaction returns the body of a transaction that went through Complete, without its events.
func RenderTransaction(r *TransactionRow, how Rendering) TransactionBody {
	b := TransactionBody{
		TransactionBase: renderBase(r), TransactionPayload: renderPayload(r.Tx, how.Interfaces.of(r), how.WithoutArguments),
		BlockHash: r.Block, ParentBlockHash: r.parentBlock, BlockHeight: r.Height,
		BlockTime: r.time(), BlockTimeISO: unixTimeOrEmpty(r.time()),
		BurnBlockHeight: r.BurnBlockHeight, BurnBlockTime: r.BurnBlockTime, BurnBlockTimeISO: unixTimeOrEmpty(r.BurnBlockTime),
		ParentBurnBlockTime: ValueOf(r.parentBurnTime), ParentBurnBlockTimeISO: unixTimeOrEmpty(ValueOf(r.parentBurnTime)),
		Canonical: r.Canonical, MicroblockCanonical: true, TxIndex: r.Index, TxStatus: r.Status, TxResult: ShowRaw(r.rawResult),
		MicroblockHash: "0x", MicroblockSequence: r.Sequence(),
		CostReadCount: r.cost.ReadCount, CostReadLength: r.cost.ReadLength, CostRuntime: r.cost.Runtime,
		CostWriteCount: r.cost.WriteCount, CostWriteLength: r.cost.WriteLength,
		VMError: r.vmError, EventCount: r.EventCount, Events: []EventBody{},
	}
	if r.microblockHash != nil {
		b.MicroblockHash = HexOf(r.microblockHash[:])
	}
	return b
}

func renderBase(r *TransactionRow) TransactionBase {
	base := TransactionBase{
		TxID: r.ID, Nonce: r.Tx.Nonce(), FeeRate: unsignedAmount(r.Tx.Fee()), SenderAddress: r.from(), Sponsored: r.Tx.Sponsored(),
		PostConditionMode: r.Tx.PostConditions.Mode().String(), PostConditions: showConditions(r.Tx.PostConditions), AnchorMode: r.Tx.AnchorMode.String(),
	}
	if sponsor, ok := r.Tx.SponsorAddress(); ok {
		nonce, _ := r.Tx.SponsorNonce()
		base.SponsorAddress, base.SponsorNonce = sponsor.String(), &nonce
	}
	return base
}

// renderPayload returns what a transaction does. called is the interface of the contract that it calls; nil when that
// is not known.
func renderPayload(tx *transaction.Transaction, called *contract.Interface, withoutArguments bool) TransactionPayload {
	b := TransactionPayload{TxType: transaction.TxType(tx.Payload)}
	switch p := tx.Payload.(type) {
	case *transaction.TokenTransfer:
		b.TokenTransfer = &tokenTransferBody{p.Recipient.String(), unsignedAmount(p.Amount), HexOf(p.Memo[:])}
	case *transaction.SmartContract:
		b.SmartContract = renderDeploy(tx, p, nil)
	case *transaction.VersionedSmartContract:
		b.SmartContract = renderDeploy(tx, &p.SmartContract, &p.ClarityVersion)
	case *transaction.ContractCall:
		b.ContractCall = renderCall(p, called, withoutArguments)
	case *transaction.PoisonMicroblock:
		b.PoisonMicroblock = &poisonMicroblockBody{HexOf(p.Headers[0].Append(nil)), HexOf(p.Headers[1].Append(nil))}
	case *transaction.Coinbase, *transaction.CoinbaseToAltRecipient, *transaction.NakamotoCoinbase:
		b.CoinbasePayload = renderCoinbase(p)
	case *transaction.TenureChange:
		b.TenureChangePayload = &tenureChangeBody{
			HexOf(p.ConsensusHash[:]), HexOf(p.PrevConsensusHash[:]), HexOf(p.BurnViewConsensusHash[:]),
			p.PreviousEnd, p.PreviousBlocks, p.Cause.String(), HexOf(p.PubkeyHash[:]),
		}
	}
	return b
}

func renderDeploy(tx *transaction.Transaction, p *transaction.SmartContract, version *uint8) *smartContractBody {
	deployed, _ := tx.Deploys()
	return &smartContractBody{version, deployed.String(), lossy.String(p.Code)}
}

func renderCall(p *transaction.ContractCall, called *contract.Interface, withoutArguments bool) *contractCallBody {
	b := &contractCallBody{ContractID: p.Contract.String(), FunctionName: p.Function}
	if withoutArguments {
		if f, ok := called.Function(p.Function); ok {
			b.FunctionSignature = f.Signature()
		}
		return b
	}
	var arguments []contract.CallArgument
	b.FunctionSignature, arguments = called.Call(p.Function, p.Arguments.List())
	b.FunctionArgs = &arguments
	return b
}

func renderCoinbase(payload transaction.Payload) *coinbaseBody {
	switch p := payload.(type) {
	case *transaction.Coinbase:
		return &coinbaseBody{Data: HexOf(p.Data[:])}
	case *transaction.CoinbaseToAltRecipient:
		recipient := p.Recipient.String()
		return &coinbaseBody{Data: HexOf(p.Data[:]), AltRecipient: &recipient}
	case *transaction.NakamotoCoinbase:
		b := &coinbaseBody{Data: HexOf(p.Data[:]), VRFProof: HexOf(p.VRFProof[:])}
		if p.Recipient != nil {
			recipient := p.Recipient.String()
			b.AltRecipient = &recipient
		}
		return b
	}
	return nil
}
