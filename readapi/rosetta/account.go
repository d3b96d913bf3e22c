package rosetta

import (
	"context"
	"encoding/json"

	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

// Names of sub-accounts. Vesting STX are not in an account until they are minted, and the schedule of the offering is not
// among the events of nodes, so these two are empty.
const (
	subSpendable       = "SpendableBalance"
	subStacked         = "StackedBalance"
	subLocked          = "locked"
	subVestingLocked   = "VestingLockedBalance"
	subVestingUnlocked = "VestingUnlockedBalance"
)

func (c *call) balance(ctx context.Context, in *wire.BalanceRequest) (answer *wire.BalanceAnswer, err error) {
	ref, err := c.ref(in.BlockIdentifier, false)
	if err != nil {
		return nil, err
	}
	if err := checkAccount(in.AccountIdentifier); err != nil {
		return nil, err
	}
	part := ""
	if in.AccountIdentifier.SubAccount != nil {
		part = in.AccountIdentifier.SubAccount.Address
		switch part {
		case subSpendable, subStacked, subLocked, subVestingLocked, subVestingUnlocked:
		default:
			return nil, fault.New(fault.InvalidSubAccount)
		}
	}
	tokens := ledger.TokensOf(in.Currencies)
	if part != "" {
		tokens = ledger.Tokens{}
	}
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		_, id, err := ledger.ReadFrame(ctx, s, ref)
		if err != nil {
			return c.mismatch(err)
		}
		account, err := ledger.ReadAccount(ctx, s, in.AccountIdentifier.Address, id.Index, tokens)
		if err != nil {
			return err
		}
		answer = &wire.BalanceAnswer{
			BlockIdentifier: c.BlockIdentifier(id),
			Balances:        append([]wire.Amount{stx(account, part)}, account.Tokens...),
			Metadata: map[string]any{
				"sequence_number": json.Number(account.NextNonce), "nonce": json.Number(account.NextNonce),
				"locked_balance": account.Locked, "unlock_height": account.UnlockHeight,
			},
		}
		return nil
	})
	return answer, err
}

// mismatch returns the error for an index and a hash of different blocks; the legacy dialect has none of its own.
func (c *call) mismatch(err error) error {
	if c.Legacy && err == ledger.ErrOtherBlock { //nolint:errorlint // ReadFrame returns it unwrapped
		return fault.New(fault.InvalidBlockHash)
	}
	return err
}

// stx returns the STX of a part of an account, or of the account itself.
func stx(account *ledger.Account, part string) wire.Amount {
	switch part {
	case subStacked, subLocked:
		return ledger.STXAmount(account.Locked)
	case subVestingLocked, subVestingUnlocked:
		return ledger.STXAmount("0")
	}
	return ledger.STXAmount(account.Unlocked)
}

func (c *call) coins(_ context.Context, in *wire.CoinsRequest) (*wire.BalanceAnswer, error) {
	if err := checkAccount(in.AccountIdentifier); err != nil {
		return nil, err
	}
	return nil, fault.Newf(fault.NotSupported, "Stacks has accounts, not coins: use /account/balance")
}
