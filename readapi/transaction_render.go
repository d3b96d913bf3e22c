package readapi

import (
	"strata/domain/contract"
	"strata/domain/lossy"
	"strata/domain/transaction"
)

// rendering says how transactions are shown.
type rendering struct {
	// interfaces of the contracts that they call.
	interfaces calledInterfaces
	// withoutArguments leaves out what contract calls pass.
	withoutArguments bool
}

// renderTransaction shows a transaction that complete has seen, without its events.
func renderTransaction(r *transactionRow, how rendering) transactionBody {
	b := transactionBody{
		TransactionBase: renderBase(r), TransactionPayload: renderPayload(r.tx, how.interfaces.of(r), how.withoutArguments),
		BlockHash: r.block, ParentBlockHash: r.parentBlock, BlockHeight: r.height,
		BlockTime: r.time(), BlockTimeISO: unixTimeOrEmpty(r.time()),
		BurnBlockHeight: r.burnBlockHeight, BurnBlockTime: r.burnBlockTime, BurnBlockTimeISO: unixTimeOrEmpty(r.burnBlockTime),
		ParentBurnBlockTime: valueOf(r.parentBurnTime), ParentBurnBlockTimeISO: unixTimeOrEmpty(valueOf(r.parentBurnTime)),
		Canonical: r.canonical, MicroblockCanonical: true, TxIndex: r.index, TxStatus: r.status, TxResult: showRaw(r.rawResult),
		MicroblockHash: "0x", MicroblockSequence: r.sequence(),
		CostReadCount: r.cost.ReadCount, CostReadLength: r.cost.ReadLength, CostRuntime: r.cost.Runtime,
		CostWriteCount: r.cost.WriteCount, CostWriteLength: r.cost.WriteLength,
		VMError: r.vmError, EventCount: r.eventCount, Events: []eventBody{}, row: r,
	}
	if r.microblockHash != nil {
		b.MicroblockHash = hexOf(r.microblockHash[:])
	}
	return b
}

func renderBase(r *transactionRow) TransactionBase {
	base := TransactionBase{
		TxID: r.id, Nonce: r.tx.Nonce(), FeeRate: unsignedAmount(r.tx.Fee()), SenderAddress: r.from(), Sponsored: r.tx.Sponsored(),
		PostConditionMode: r.tx.PostConditions.Mode().String(), PostConditions: showConditions(r.tx.PostConditions), AnchorMode: r.tx.AnchorMode.String(),
	}
	if sponsor, ok := r.tx.SponsorAddress(); ok {
		nonce, _ := r.tx.SponsorNonce()
		base.SponsorAddress, base.SponsorNonce = sponsor.String(), &nonce
	}
	return base
}

// renderPayload shows what a transaction does. called is the interface of the contract that it calls; nil when that is not
// known.
func renderPayload(tx *transaction.Transaction, called *contract.Interface, withoutArguments bool) TransactionPayload {
	b := TransactionPayload{TxType: tx.Payload.TxType()}
	switch p := tx.Payload.(type) {
	case *transaction.TokenTransfer:
		b.TokenTransfer = &tokenTransferBody{p.Recipient.String(), unsignedAmount(p.Amount), hexOf(p.Memo[:])}
	case *transaction.SmartContract:
		b.SmartContract = renderDeploy(tx, p, nil)
	case *transaction.VersionedSmartContract:
		b.SmartContract = renderDeploy(tx, &p.SmartContract, &p.ClarityVersion)
	case *transaction.ContractCall:
		b.ContractCall = renderCall(p, called, withoutArguments)
	case *transaction.PoisonMicroblock:
		b.PoisonMicroblock = &poisonMicroblockBody{hexOf(p.Headers[0].Append(nil)), hexOf(p.Headers[1].Append(nil))}
	case *transaction.Coinbase, *transaction.CoinbaseToAltRecipient, *transaction.NakamotoCoinbase:
		b.CoinbasePayload = renderCoinbase(p)
	case *transaction.TenureChange:
		b.TenureChangePayload = &tenureChangeBody{
			hexOf(p.ConsensusHash[:]), hexOf(p.PrevConsensusHash[:]), hexOf(p.BurnViewConsensusHash[:]),
			p.PreviousEnd, p.PreviousBlocks, p.Cause.String(), hexOf(p.PubkeyHash[:]),
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
		return &coinbaseBody{Data: hexOf(p.Data[:])}
	case *transaction.CoinbaseToAltRecipient:
		recipient := p.Recipient.String()
		return &coinbaseBody{Data: hexOf(p.Data[:]), AltRecipient: &recipient}
	case *transaction.NakamotoCoinbase:
		b := &coinbaseBody{Data: hexOf(p.Data[:]), VRFProof: hexOf(p.VRFProof[:])}
		if p.Recipient != nil {
			recipient := p.Recipient.String()
			b.AltRecipient = &recipient
		}
		return b
	}
	return nil
}
