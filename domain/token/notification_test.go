package token_test

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"testing"

	"strata/domain/clarity"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
)

const (
	owner    = "SP3XA0MBJ3TD14HRAT0ZP65N933XMG6E6QAS00CTW"
	deed     = owner + ".fine-art-exhibition-v1"
	stranger = "SP1H6HY2ZPSFPZF6HBNADAYKQ2FJN75GHVV95YZQ"
	notifier = stranger + ".token-metadata-update-notify"
)

func unsigned(n ...uint64) (list []clarity.Value) {
	for _, one := range n {
		list = append(list, clarity.NewUint64(one))
	}
	return list
}

func list(elements ...clarity.Value) clarity.Value { return value.Must(clarity.NewList(elements...)) }

// notice returns a notification with the given payload.
func notice(payload ...any) clarity.Value {
	return value.Tuple("notification", value.Text("token-metadata-update"), "payload", value.Tuple(payload...))
}

func summary(n token.Notification) string {
	ttl := "-"
	if n.TTL != nil {
		ttl = fmt.Sprint(*n.TTL)
	}
	return fmt.Sprint(n.Class, " ", n.Contract, " ", n.TokenIDs, " ", n.Mode, " ", ttl)
}

// mainnetNotice has the bytes of a notification in the mainnet transaction
// 0xfc81a8c30025d7135d4313ea746831de1c7794478d4e0d23ef76970ee071cf20.
const mainnetNotice = "0c000000020c6e6f74696669636174696f6e0d00000015746f6b656e2d6d657461646174612d757064617465077061796c6f61640c00000002" +
	"0b636f6e74726163742d69640616faa051721e9a12470ad03f6316a918fb4819c6ba1666696e652d6172742d65786869626974696f6e2d7631" +
	"0b746f6b656e2d636c6173730d000000036e6674"

func decoded(tb testing.TB, digits string) clarity.Value {
	tb.Helper()
	raw := must.Get(hex.DecodeString(digits))(tb)
	return must.Get(clarity.DecodeAll(raw))(tb)
}

func TestParseNotification(t *testing.T) {
	most := decimal("340282366920938463463374607431768211455")
	ids := func(v ...clarity.Value) clarity.Value {
		return notice("token-class", value.Text("nft"), "contract-id", value.Principal(deed).Clarity(), "token-ids", list(v...))
	}
	mode := func(v clarity.Value) clarity.Value {
		return notice("token-class", value.Text("ft"), "contract-id", value.Principal(deed).Clarity(), "update-mode", v)
	}
	ttl := func(v clarity.Value) clarity.Value {
		return notice("token-class", value.Text("ft"), "contract-id", value.Principal(deed).Clarity(), "update-mode", value.Text("dynamic"), "ttl", v)
	}
	about := func(v clarity.Value) clarity.Value { return notice("token-class", value.Text("ft"), "contract-id", v) }
	for _, tc := range []struct {
		name  string
		value clarity.Value
		want  string // empty for no notification
	}{
		{
			"N1",
			value.Tuple("notification", value.Buffer("token-metadata-update"), "payload", value.Tuple("token-class", value.Buffer("ft"), "contract-id", value.Principal(deed).Clarity())),
			"ft " + deed + " [] standard -",
		},
		{"N5", decoded(t, mainnetNotice), "nft " + deed + " [] standard -"},
		{"N6 list of int", ids(clarity.NewInt64(1), clarity.NewInt64(2)), "nft " + deed + " [1 2] standard -"},
		{
			"N7",
			notice("token-class", value.Text("nft"), "contract-id", value.Principal(deed).Clarity(), "update-mode", value.Text("dynamic"), "ttl", clarity.NewUint64(9999)),
			"nft " + deed + " [] dynamic 9999",
		},
		{
			"N8 sft with ids",
			notice("token-class", value.Text("sft"), "contract-id", value.Principal(deed).Clarity(), "token-ids", list(unsigned(7)...)),
			"sft " + deed + " [7] standard -",
		},
		{"N8 sft without ids", notice("token-class", value.Text("sft"), "contract-id", value.Principal(deed).Clarity()), ""},
		{"N8 sft with an empty list", notice("token-class", value.Text("sft"), "contract-id", value.Principal(deed).Clarity(), "token-ids", list()), ""},
		{"N8 sft with a text for ids", notice("token-class", value.Text("sft"), "contract-id", value.Principal(deed).Clarity(), "token-ids", value.Text("1")), ""},
		{"N9 unknown mode", mode(value.Text("sometimes")), ""},
		{"N9 mode that is no word", mode(clarity.NewUint64(1)), ""},

		{"empty list", ids(), "nft " + deed + " [] standard -"},
		{"ids as they come, each once", ids(unsigned(3, 1, 3, 0, 1)...), "nft " + deed + " [3 1 0] standard -"},
		{"largest id", ids(value.Must(clarity.NewUint(most))), "nft " + deed + " [340282366920938463463374607431768211455] standard -"},
		{"negative id", ids(clarity.NewInt64(1), clarity.NewInt64(-1)), ""},
		{"ids of another type", ids(value.Text("1")), ""},
		{"one id without a list", notice("token-class", value.Text("nft"), "contract-id", value.Principal(deed).Clarity(), "token-ids", clarity.NewUint64(1)), ""},
		{
			"ft has no ids",
			notice("token-class", value.Text("ft"), "contract-id", value.Principal(deed).Clarity(), "token-ids", list(unsigned(1)...)),
			"ft " + deed + " [] standard -",
		},

		{"mode frozen", mode(utf8("frozen")), "ft " + deed + " [] frozen -"},
		{"mode in bytes", mode(value.Buffer("standard")), "ft " + deed + " [] standard -"},
		{"empty mode", mode(value.Text("")), "ft " + deed + " [] standard -"},
		{"ttl zero", ttl(clarity.NewUint64(0)), "ft " + deed + " [] dynamic 0"},
		{"ttl of int", ttl(clarity.NewInt64(60)), "ft " + deed + " [] dynamic -"},
		{"ttl in some", ttl(clarity.NewSome(clarity.NewUint64(60))), "ft " + deed + " [] dynamic -"},
		{"longest ttl", ttl(clarity.NewUint64(token.TTLMax)), "ft " + deed + " [] dynamic 3153600000"},
		{"ttl beyond", ttl(value.Must(clarity.NewUint(most))), "ft " + deed + " [] dynamic 3153600000"},

		{"contract as ascii", about(value.Text(deed)), "ft " + deed + " [] standard -"},
		{"contract as utf8", about(utf8(deed)), "ft " + deed + " [] standard -"},
		{"contract as bytes", about(value.Buffer(deed)), "ft " + deed + " [] standard -"},
		{"contract in lower case", about(value.Text("sp3xa0mbj3td14hrat0zp65n933xmg6e6qas00ctw.fine-art-exhibition-v1")), "ft " + deed + " [] standard -"},
		{"address for a contract", about(value.Principal(owner).Clarity()), ""},
		{"address for a contract, as text", about(value.Text(owner)), ""},
		{"address with a dot", about(value.Text(owner + ".")), ""},
		{"text for a contract", about(value.Text("fine-art")), ""},
		{"number for a contract", about(clarity.NewUint64(1)), ""},
		{"contract with an illegal name", about(decoded(t, "0616faa051721e9a12470ad03f6316a918fb4819c6ba03610062")), ""},
		{"no contract", notice("token-class", value.Text("ft")), ""},

		{"unknown class", notice("token-class", value.Text("stx"), "contract-id", value.Principal(deed).Clarity()), ""},
		{"no class", notice("contract-id", value.Principal(deed).Clarity()), ""},
		{"class in some", notice("token-class", clarity.NewSome(value.Text("ft")), "contract-id", value.Principal(deed).Clarity()), ""},
		{"other notification", value.Tuple("notification", value.Text("hello"), "payload", value.Tuple("token-class", value.Text("ft"), "contract-id", value.Principal(deed).Clarity())), ""},
		{"no notification", value.Tuple("payload", value.Tuple("token-class", value.Text("ft"), "contract-id", value.Principal(deed).Clarity())), ""},
		{"no payload", value.Tuple("notification", value.Text("token-metadata-update")), ""},
		{"payload of a number", value.Tuple("notification", value.Text("token-metadata-update"), "payload", clarity.NewUint64(1)), ""},
		{"in some", clarity.NewSome(notice("token-class", value.Text("ft"), "contract-id", value.Principal(deed).Clarity())), ""},
		{"text", value.Text("token-metadata-update"), ""},
		{"no value", clarity.Value{}, ""},
	} {
		got, ok := token.ParseNotification(tc.value)
		switch {
		case tc.want == "" && (ok || summary(got) != summary(token.Notification{})):
			t.Errorf("%s: got %s, want no notification", tc.name, summary(got))
		case tc.want != "" && (!ok || summary(got) != tc.want):
			t.Errorf("%s: got %s, %v, want %s", tc.name, summary(got), ok, tc.want)
		}
	}
}

func TestAuthorisedBy(t *testing.T) {
	n, ok := token.ParseNotification(decoded(t, mainnetNotice))
	if !ok {
		t.Fatal("N5 is no notification")
	}
	for _, tc := range []struct {
		name, emitter, origin string
		want                  bool
	}{
		{"N1 own contract and owner", deed, owner, true},
		{"N2 other contract, other sender", notifier, stranger, false},
		{"N3 other contract, owner", notifier, owner, true},
		{"N4 own contract, foreign sender", deed, stranger, true},
		{"other contract of the owner, other sender", owner + ".other", stranger, false},
		{"contract with a longer name", deed + "2", stranger, false},
		{"own contract as the origin", notifier, deed, false},
		{"nobody", "", "", false},
	} {
		if got := n.AuthorisedBy(tc.emitter, tc.origin); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
	if (token.Notification{}).AuthorisedBy("", "") {
		t.Error("the zero notification is authorised")
	}
}

func TestParseSFTPrint(t *testing.T) {
	most := decimal("340282366920938463463374607431768211455")
	printOf := func(word clarity.Value, id, amount clarity.Value) clarity.Value {
		return value.Tuple("type", word, "token-id", id, "amount", amount, "recipient", value.Principal(owner).Clarity())
	}
	three, many := clarity.NewUint64(3), clarity.NewUint64(1000)
	for _, tc := range []struct {
		name  string
		value clarity.Value
		want  *token.SFTPrint
	}{
		{"mint", printOf(value.Text("sft_mint"), three, many), &token.SFTPrint{Event: token.SFTMint, TokenID: big.NewInt(3), Amount: big.NewInt(1000)}},
		{"burn", printOf(value.Text("sft_burn"), three, many), &token.SFTPrint{Event: token.SFTBurn, TokenID: big.NewInt(3), Amount: big.NewInt(1000)}},
		{"transfer", printOf(utf8("sft_transfer"), clarity.NewUint64(0), clarity.NewUint64(0)), &token.SFTPrint{Event: token.SFTTransfer, TokenID: new(big.Int), Amount: new(big.Int)}},
		{"largest", printOf(value.Buffer("sft_mint"), value.Must(clarity.NewUint(most)), value.Must(clarity.NewUint(most))), &token.SFTPrint{Event: token.SFTMint, TokenID: most, Amount: most}},
		{"without recipient", value.Tuple("type", value.Text("sft_mint"), "token-id", three, "amount", many), &token.SFTPrint{Event: token.SFTMint, TokenID: big.NewInt(3), Amount: big.NewInt(1000)}},
		{"other type", printOf(value.Text("sft_melt"), three, many), nil},
		{"type of a number", printOf(three, three, many), nil},
		{"id of int", printOf(value.Text("sft_mint"), clarity.NewInt64(3), many), nil},
		{"amount of int", printOf(value.Text("sft_mint"), three, clarity.NewInt64(3)), nil},
		{"no id", value.Tuple("type", value.Text("sft_mint"), "amount", many), nil},
		{"no amount", value.Tuple("type", value.Text("sft_mint"), "token-id", three), nil},
		{"no type", value.Tuple("token-id", three, "amount", many), nil},
		{"in ok", clarity.NewOk(printOf(value.Text("sft_mint"), three, many)), nil},
		{"no value", clarity.Value{}, nil},
	} {
		got, ok := token.ParseSFTPrint(tc.value)
		if ok != (tc.want != nil) {
			t.Errorf("%s: got %+v, %v, want %+v", tc.name, got, ok, tc.want)
			continue
		}
		if ok && (got.Event != tc.want.Event || got.TokenID.Cmp(tc.want.TokenID) != 0 || got.Amount.Cmp(tc.want.Amount) != 0) {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, *tc.want)
		}
	}
}
