package nodeevent

// IsGenesis reports whether the block is the genesis block. A node announces it again at every start, then without
// transactions and events; the empty form must never replace a full one.
func (b *Block) IsGenesis() bool { return b.Height == 0 }

// IsNakamoto reports whether the block is of epoch 3.0 or later: only such blocks have a signer signature hash or a
// signer bit vector. Neither the height nor the time tells.
func (b *Block) IsNakamoto() bool { return b.SignerSignatureHash != nil || b.SignerBitvec != nil }

// HasMergedGenesis reports whether the block is block 1 and contains the genesis transactions, after the coinbase.
// Nodes before release 2.1 and mocknet send such a block, and no block 0. (Boot contracts that an epoch transition
// deploys in block 1 come before the coinbase.)
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
