package transaction

import (
	"fmt"
	"math"

	"strata/domain/c32"
	"strata/domain/clarity"
)

// Validate checks that a transaction that was not decoded can be encoded and decoded again: names are not empty and fit
// their length byte, addresses have a text form, and enumerated bytes have known values. It does not check signatures;
// see Verify. The error wraps ErrMalformed.
func (t *Transaction) Validate() error {
	if err := t.Origin.validate("origin"); err != nil {
		return err
	}
	if t.Sponsor != nil {
		if err := t.Sponsor.validate("sponsor"); err != nil {
			return err
		}
	}
	if !t.AnchorMode.Valid() {
		return fmt.Errorf("anchor mode %d: %w, want 1 to 3", t.AnchorMode, ErrMalformed)
	}
	if t.Payload == nil {
		return fmt.Errorf("no payload: %w", ErrMalformed)
	}
	return t.Payload.validate()
}

func (c *SpendingCondition) validate(who string) error {
	if !c.HashMode.Valid() {
		return fmt.Errorf("%s hash mode %d: %w, want 0, 1, 2, 3, 5 or 7", who, c.HashMode, ErrMalformed)
	}
	if !c.KeyEncoding.Valid() {
		return fmt.Errorf("%s key encoding %d: %w, want 0 or 1", who, c.KeyEncoding, ErrMalformed)
	}
	if uint64(len(c.Fields)) > math.MaxUint32 {
		return fmt.Errorf("%s with %d fields: %w", who, len(c.Fields), ErrMalformed)
	}
	for i := range c.Fields {
		if kind := c.Fields[i].Kind; kind > FieldSignatureUncompressed {
			return fmt.Errorf("%s field %d of kind %d: %w, want 0 to 3", who, i, kind, ErrMalformed)
		}
	}
	return nil
}

func (c *PostCondition) validate() error {
	if c.Type > ConditionPox {
		return fmt.Errorf("type %d: %w", c.Type, ErrUnknownLayout)
	}
	if !c.Type.Allows(c.Code) {
		return fmt.Errorf("code %#02x for type %s: %w", uint8(c.Code), c.Type, ErrMalformed)
	}
	switch c.PrincipalKind {
	case PrincipalOrigin:
	case PrincipalStandard:
		if err := validateAddress("principal", c.Principal.Address); err != nil {
			return err
		}
	case PrincipalContract:
		if err := validateContract("principal", c.Principal); err != nil {
			return err
		}
	default:
		return fmt.Errorf("principal kind %d: %w", c.PrincipalKind, ErrUnknownLayout)
	}
	if c.Type.HasAsset() {
		if err := validateContract("asset contract", c.Asset.Contract); err != nil {
			return err
		}
		if err := validateName("asset name", c.Asset.Asset); err != nil {
			return err
		}
	}
	if c.Type == ConditionNonFungible && c.AssetValue.IsZero() {
		return fmt.Errorf("no asset value: %w", ErrMalformed)
	}
	return nil
}

func validatePrincipal(what string, p clarity.Principal) error {
	if p.Contract == "" {
		return validateAddress(what, p.Address)
	}
	return validateContract(what, p)
}

func validateContract(what string, p clarity.Principal) error {
	if err := validateAddress(what, p.Address); err != nil {
		return err
	}
	return validateName(what, p.Contract)
}

func validateAddress(what string, a c32.Address) error {
	if !a.Valid() {
		return fmt.Errorf("%s of address version %d: %w, at most %d", what, a.Version, ErrMalformed, c32.MaxVersion)
	}
	return nil
}

// validateName checks the length of a name against the limit of the wire form.
func validateName(what, name string) error {
	if name == "" || len(name) > clarity.MaxNameLength {
		return fmt.Errorf("%s of %d bytes: %w, want 1 to %d", what, len(name), ErrMalformed, clarity.MaxNameLength)
	}
	return nil
}
