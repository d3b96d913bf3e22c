package nodeevent

// IsGenesis reports whether the block is the genesis announcement. A node repeats it at every start, then without
// transactions and events; the empty form never replaces a full one.
func (b *Block) IsGenesis() bool { return b.Height == 0 }

// IsNakamoto reports whether the block is of epoch 3.0 or later: only such have a signer signature hash or a signer
// bit vector. Neither height nor time would tell.
func (b *Block) IsNakamoto() bool { return b.SignerSignatureHash != nil || b.SignerBitvec != nil }

// HasMergedGenesis reports whether the block is block 1 with the genesis transactions in it, as nodes before release
// 2.1 and mocknet send them: after the coinbase. (Boot contracts that an epoch transition deploys in block 1 stand
// before it.) Such a chain has no block 0.
func (b *Block) HasMergedGenesis() bool {
	if b.Height != 1 || b.IsNakamoto() || len(b.Transactions) == 0 || b.Transactions[0].IsBoot() {
		return false
	}
	for i := range b.Transactions {
		if b.Transactions[i].IsBoot() {
			return true
		}
	}
	return false
}
