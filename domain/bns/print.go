package bns

import (
	"errors"
	"fmt"
	"math/big"

	"strata/domain/clarity"
)

// ErrPrint is returned for a printed value that has a known topic and not the fields of that topic. Callers keep the
// raw event.
var ErrPrint = errors.New("not a print of BNS-V2")

// Topics of prints: the field topic of a name's print, a of a listing's, status of a namespace's.
const (
	NewName      = "new-name"
	NewAirdrop   = "new-airdrop"
	TransferName = "transfer-name"
	RenewName    = "renew-name"
	BurnName     = "burn-name"

	List   = "list-in-ustx"
	Unlist = "unlist-in-ustx"
	Buy    = "buy-in-ustx"

	Launch               = "launch"
	TransferManager      = "transfer-manager"
	FreezeManager        = "freeze-manager"
	TurnOffTransfers     = "turn-off-manager-transfers"
	UpdatePriceFunction  = "update-price-manager"
	FreezePriceFunction  = "freeze-price-manager"
	UpdateZonefile       = "update-zonefile"
	RevokeName           = "revoke-name"
	maxUndecodedTopic    = 128
	undecodedTopicSuffix = "…"
)

// Print is what one of the contracts printed. Fields that the topic does not have are zero.
type Print struct {
	// Topic is one of the constants, or an unknown text.
	Topic string
	// Known is false for a topic that this package does not know; then only Topic is set.
	Known bool
	// Name is set for names and zonefiles. For a namespace only Name.Namespace is set.
	Name Name
	ID   *big.Int
	// Properties are set for new-name, transfer-name and renew-name.
	Properties *Properties
	// RegisteredAt is set for new-airdrop.
	RegisteredAt *big.Int
	// Owner is set for names, and nil for burn-name.
	Owner *clarity.Principal
	// Namespace is set for namespaces.
	Namespace *Namespace
	// Price (µSTX) and Commission (a contract) are set for list-in-ustx.
	Price      *big.Int
	Commission clarity.Principal
	// Zonefile is set for update-zonefile; nil for none.
	Zonefile []byte
}

// DecodePrint decodes a value printed by a contract of names. A value without a topic, or with an unknown one, is not
// an error: its Known is false. ErrPrint is returned for a known topic with other fields.
func DecodePrint(v clarity.Value) (Print, error) {
	r := &fieldReader{tuple: v}
	p := Print{Known: true}
	if p.Topic = text(v, "topic"); p.Topic != "" {
		return r.name(p)
	}
	if p.Topic = text(v, "a"); p.Topic != "" {
		return r.listing(p)
	}
	if p.Topic = text(v, "status"); p.Topic != "" {
		return r.status(p)
	}
	return unknown(p)
}

// DecodeZonefilePrint decodes a value printed by a resolver of zonefiles, as DecodePrint does.
func DecodeZonefilePrint(v clarity.Value) (Print, error) {
	r := &fieldReader{tuple: v}
	p := Print{Known: true, Topic: text(v, "topic")}
	switch p.Topic {
	case UpdateZonefile:
		p.Name, p.Zonefile = r.labels(), r.optionalBuffer("new-zonefile")
	case RevokeName:
		p.Name = r.labels()
	default:
		return unknown(p)
	}
	return p, r.err
}

func unknown(p Print) (Print, error) {
	topic := p.Topic
	if len(topic) > maxUndecodedTopic {
		topic = topic[:maxUndecodedTopic] + undecodedTopicSuffix
	}
	return Print{Topic: topic}, nil
}

// text returns the text in a field of a tuple; empty if there is none.
func text(v clarity.Value, field string) string {
	f, _ := v.Field(field)
	t, _ := f.Text()
	return t
}

func (r *fieldReader) name(p Print) (Print, error) {
	switch p.Topic {
	case NewName, TransferName, RenewName, NewAirdrop, BurnName:
	default:
		return unknown(p)
	}
	n := r.nested("name", false)
	p.Name = n.labels()
	r.err = n.err
	if p.Topic == RenewName {
		p.ID = r.optionalUint("id") // the only print in which it is optional
	} else {
		p.ID = r.uint("id")
	}
	if p.Topic == BurnName { // the owner is an empty text
		return p, r.err
	}
	owner := r.principal("owner")
	p.Owner = &owner
	if p.Topic == NewAirdrop {
		p.RegisteredAt = r.uint("registered-at")
		return p, r.err
	}
	n = r.nested("properties", true)
	p.Properties = n.properties()
	if n.err != nil {
		r.err = n.err
	}
	return p, r.err
}

func (r *fieldReader) listing(p Print) (Print, error) {
	switch p.Topic {
	case List:
		p.ID, p.Price, p.Commission = r.uint("id"), r.uint("price"), r.principal("commission")
	case Unlist, Buy:
		p.ID = r.uint("id")
	default:
		return unknown(p)
	}
	return p, r.err
}

func (r *fieldReader) status(p Print) (Print, error) {
	switch p.Topic {
	case Launch, TransferManager, FreezeManager, TurnOffTransfers, UpdatePriceFunction, FreezePriceFunction:
	default:
		return unknown(p)
	}
	p.Name.Namespace = Label(r.buffer("namespace"))
	n := r.nested("properties", true)
	p.Namespace = n.namespace()
	if r.err = n.err; r.err != nil {
		r.err = fmt.Errorf("%s: %w", p.Topic, r.err)
	}
	return p, r.err
}
