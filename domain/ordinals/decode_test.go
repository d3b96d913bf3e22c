package ordinals_test

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/testkit/must"
)

func decode(t tb, text string) *ordinals.Payload {
	t.Helper()
	return must.Get(ordinals.Decode([]byte(text)))(t)
}

func amount(t tb, text string) *big.Int {
	t.Helper()
	return must.Get(ordinals.ParseAmount(text))(t)
}

func TestDecodeEverything(t *testing.T) {
	t.Parallel()
	zero, offset := uint64(0), uint64(5000)
	full := &ordinals.Reveal{
		ID: ordinals.InscriptionID(h("aa") + "i0"), Number: ordinals.InscriptionNumber{Classic: -5, Jubilee: 100}, Sat: 257418248345364,
		Content: []byte("Hello"), ContentType: "text/plain;charset=utf-8", ContentLength: 5, Metaprotocol: "brc-20",
		Metadata: json.RawMessage(`{"foo":"b\u0000r", "n":[1e400]}`), Delegate: h("dd") + "i1", Parents: []string{h("ee") + "i2"},
		PointerTag: ptr(uint64(math.MaxUint64)), Fee: 2805, OutputValue: 10000, InscriberAddress: ptr("bc1q"),
		SatpointPost: ordinals.Satpoint{TxID: h32(t, "aa"), Vout: "0", Offset: &zero}, TxIndex: 7, CurseType: json.RawMessage(`{"tag":66}`),
		OrdinalBlockHeight: 650000, OrdinalOffset: 3, InputIndex: 2, TransfersPreInscription: 4,
	}
	newest := *full
	newest.Parents = []string{h("ee") + "i2", h("ef") + "i0"}
	newest.Charms = ptr(ordinals.CharmCoin | ordinals.CharmPalindrome)
	newest.UnboundSequence = ptr(uint64(9))
	newest.CurseType = json.RawMessage(`"Pushnum"`)
	newest.Delegate, newest.Metaprotocol, newest.InscriberAddress = "", "", ptr("")
	bare := &ordinals.Reveal{
		ID: ordinals.InscriptionID(h("bb") + "i4294967295"), Number: ordinals.InscriptionNumber{Classic: -7, Jubilee: -7},
		Content: []byte{}, ContentType: "unknown", SatpointPost: ordinals.Satpoint{TxID: h32(t, "cc"), Vout: "0"},
	}
	moved := &ordinals.Transfer{
		Sat: 5, Destination: ordinals.Transferred, DestinationValue: ptr("bc1p"),
		SatpointPre:  ordinals.Satpoint{TxID: h32(t, "aa"), Vout: "0", Offset: &zero},
		SatpointPost: ordinals.Satpoint{TxID: h32(t, "bb"), Vout: "1", Offset: &offset},
		OutputValue:  ptr(uint64(10000)), TxIndex: 1019,
	}
	blockAt := func(pointer string, transactions ...ordinals.Transaction) ordinals.Block {
		return ordinals.Block{
			Pointer: pointer, Height: 775617, Hash: h32(t, "01"), ParentHeight: 775616, ParentHash: h32(t, "02"),
			Time: 1676913207, Network: ordinals.Mainnet, Transactions: transactions,
		}
	}
	txAt := func(pointer string, operations ...ordinals.Operation) ordinals.Transaction {
		return ordinals.Transaction{Pointer: pointer, TxID: h32(t, "aa"), Index: 7, Operations: operations}
	}
	const first = "/apply/0/transactions/0"
	want := &ordinals.Payload{
		UUID: "1c2d", Streaming: true,
		Apply: []ordinals.Block{blockAt("/apply/0",
			txAt(first,
				ordinals.Operation{Pointer: first + "/metadata/ordinal_operations/0", Reveal: full},
				ordinals.Operation{Pointer: first + "/metadata/ordinal_operations/1", Reveal: &newest},
				ordinals.Operation{Pointer: first + "/metadata/ordinal_operations/2", Transfer: moved}),
			txAt("/apply/0/transactions/1", ordinals.Operation{Pointer: "/apply/0/transactions/1/metadata/ordinal_operations/0", Reveal: bare}),
		)},
		Rollback: []ordinals.BlockID{{Pointer: "/rollback/0", Height: 775617, Hash: h32(t, "01")}, {Pointer: "/rollback/1", Height: 775617, Hash: h32(t, "01")}},
	}
	samePayload(t, withoutContentAt(t, fixtures[2], decode(t, fixtures[2])), want)
}

// samePayload compares values that hold pointers. Its error shows what the pointers point to.
func samePayload(t tb, got, want any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	g := must.Get(json.MarshalIndent(got, "", " "))(t)
	w := must.Get(json.MarshalIndent(want, "", " "))(t)
	t.Errorf("got %s\nwant %s", g, w)
}

func TestDecodeBRC20(t *testing.T) {
	t.Parallel()
	var got []*ordinals.BRC20Operation
	for _, tx := range decode(t, fixtures[3]).Apply[0].Transactions {
		got = append(got, tx.BRC20)
	}
	id := ordinals.InscriptionID(h("aa") + "i0")
	samePayload(t, got, []*ordinals.BRC20Operation{
		{
			Pointer: "/apply/0/transactions/0/metadata/brc20_operation", Kind: "deploy", Tick: "PePe", InscriptionID: id, Address: "bc1q",
			Deploy: &ordinals.BRC20Deploy{Max: amount(t, "21000000"), Limit: amount(t, "1000.5"), Decimals: 18, SelfMint: true},
		},
		{Pointer: "/apply/0/transactions/1/metadata/brc20_operation", Kind: "mint", Tick: "pepe", InscriptionID: id, Address: "bc1q", Amount: amount(t, "10000")},
		{Pointer: "/apply/0/transactions/2/metadata/brc20_operation", Kind: "transfer", Tick: "🔥É", InscriptionID: id, Address: "bc1q", Amount: big.NewInt(1)},
		{Pointer: "/apply/0/transactions/3/metadata/brc20_operation", Kind: "transfer_send", Tick: "pepe", InscriptionID: id, Address: "bc1q", Amount: amount(t, "9000")},
	})
	same(t, "tickers", []string{got[0].Ticker(), got[2].Ticker()}, []string{"pepe", "🔥é"})
}

// TestDecodeVariants checks other forms that feeds are known to send.
func TestDecodeVariants(t *testing.T) {
	t.Parallel()
	reveal := func(old, new string) *ordinals.Reveal {
		text := strings.Replace(revealFull, old, new, 1)
		if text == revealFull {
			t.Fatalf("the reveal has no %s", old)
		}
		return decode(t, body(block(tx(revealed(text))))).Apply[0].Transactions[0].Operations[0].Reveal
	}
	const address = `"inscriber_address":"bc1q"`
	parent := `"parent":"0x` + h("ee") + `i2"`
	same(t, "address null", reveal(address, `"inscriber_address":null`).InscriberAddress, (*string)(nil))
	same(t, "address missing", reveal(address+",", ``).InscriberAddress, (*string)(nil))
	same(t, "address empty", reveal(address, `"inscriber_address":""`).InscriberAddress, ptr(""))
	same(t, "parent empty", reveal(parent, `"parent":""`).Parents, []string(nil))
	same(t, "parent null", reveal(parent, `"parent":null`).Parents, []string(nil))
	same(t, "parents null", reveal(parent, `"parents":null`).Parents, []string(nil))
	same(t, "parents empty", reveal(parent, `"parents":[]`).Parents, []string(nil))
	same(t, "parent and parents", reveal(parent, `"parents":["b","a"],"parent":"a"`).Parents, []string{"a", "b"})
	same(t, "charms number", reveal(parent, `"charms":8193`).Charms.Names(), []string{"coin", "palindrome"})
	same(t, "charms zero", reveal(parent, `"charms":0`).Charms, ptr(ordinals.Charms(0)))
	same(t, "charms null", reveal(parent, `"charms":null`).Charms, (*ordinals.Charms)(nil))
	same(t, "charms empty", reveal(parent, `"charms":{}`).Charms, ptr(ordinals.Charms(0)))
	same(t, "curse null", reveal(`{"tag":66}`, `null`).CurseType, json.RawMessage(nil))
	same(t, "curse number", *reveal(`{"tag":66}`, `88`).Curse(), "88")
	same(t, "curse word", *reveal(`{"tag":66}`, `"UnrecognizedEvenField"`).Curse(), "unrecognized_field")
	same(t, "curse object", *reveal(`"tag":66`, ` "tag" : 66 `).Curse(), `{"tag":66}`)
	same(t, "metadata null", reveal(`{"foo":"b\u0000r", "n":[1e400]}`, `null`).Metadata, json.RawMessage(nil))
	same(t, "pointer null", reveal(`18446744073709551615`, `null`).PointerTag, (*uint64)(nil))
	same(t, "content without 0x", reveal(`0x48656C6C6F`, `48656c6c6f`).Content, []byte("Hello"))
	same(t, "content escaped", reveal(`0x48656C6C6F`, `\u0030x4865`).Content, []byte("He"))
	same(t, "content empty", reveal(`0x48656C6C6F`, ``).Content, []byte{})
	same(t, "not UTF-8", reveal(`"brc-20"`, "\"a\xf0\x9f\x94b\xff\xff\"").Metaprotocol, "a\ufffdb\ufffd\ufffd")
	same(t, "numbers as text", reveal(`"classic":-5,"jubilee":100`, `"classic":"-9223372036854775808","jubilee":"9223372036854775807"`).Number,
		ordinals.InscriptionNumber{Classic: math.MinInt64, Jubilee: math.MaxInt64})

	transfer := func(old, new string) *ordinals.Transfer {
		text := strings.Replace(transferFull, old, new, 1)
		if text == transferFull {
			t.Fatalf("the transfer has no %s", old)
		}
		return decode(t, body(block(tx(transferred(text))))).Apply[0].Transactions[0].Operations[0].Transfer
	}
	fees := transfer(`"transferred","value":"bc1p"`, `"spent_in_fees"`)
	same(t, "fees", []any{fees.Destination, fees.DestinationValue}, []any{ordinals.SpentInFees, (*string)(nil)})
	burnt := transfer(`"transferred","value":"bc1p"`, `"burnt","value":"OP_RETURN"`)
	same(t, "burnt", []any{burnt.Destination, *burnt.DestinationValue, burnt.Location().Address}, []any{ordinals.Burnt, "OP_RETURN", (*string)(nil)})
	same(t, "unknown destination", transfer(`"transferred"`, `"a_new_one"`).Destination, ordinals.Transferred)
	same(t, "value null", transfer(`"post_transfer_output_value":10000`, `"post_transfer_output_value":null`).OutputValue, (*uint64)(nil))

	operation := func(fixture, old, new string) *ordinals.BRC20Operation {
		text := strings.Replace(fixture, old, new, 1)
		if text == fixture {
			t.Fatalf("the operation has no %s", old)
		}
		return decode(t, body(block(brc20(withID(text))))).Apply[0].Transactions[0].BRC20
	}
	same(t, "no limit", operation(deployOp, `"lim":"1000.5"`, `"lim":null`).Deploy.Limit, (*big.Int)(nil))
	same(t, "decimals as a number", operation(deployOp, `"dec":"18"`, `"dec":0`).Deploy.Decimals, uint8(0))
	same(t, "before self mints", operation(deployOp, `,"self_mint":true`, ``).Deploy.SelfMint, false)
	same(t, "max 0", operation(deployOp, `21000000.000000000000000000`, `0`).Deploy.Max.Sign(), 0)
	same(t, "sent, positive", operation(sendOp, `"-9000.000000000000000000"`, `"9000"`).Amount, amount(t, "9000"))
	same(t, "receiver", operation(sendOp, `"receiver_address":""`, `"receiver_address":"bc1r"`).Receiver, "bc1r")
	same(t, "no network", decode(t, strings.Replace(body(block()), `"network":"mainnet"`, ``, 1)).Apply[0].Network, ordinals.Network(""))
}

func TestDecodeSkipsUnknownMembers(t *testing.T) {
	t.Parallel()
	for _, text := range fixtures {
		// Every object gets one more member, except the objects that Decode keeps as raw JSON.
		more := strings.ReplaceAll(text, `{"`, `{"a_new_member":[{},{"x":[null]}],"`)
		for _, rawMember := range []string{`"foo":`, `"tag":`} {
			more = strings.ReplaceAll(more, `{"a_new_member":[{},{"x":[null]}],`+rawMember, `{`+rawMember)
		}
		samePayload(t, withoutContentAt(t, more, decode(t, more)), withoutContentAt(t, text, decode(t, text)))
	}
}

func TestPayloadDoesNotReferToBody(t *testing.T) {
	t.Parallel()
	for _, text := range fixtures {
		b := []byte(text)
		first := must.Get(ordinals.Decode(b))(t)
		for i := range b {
			b[i] = 'x'
		}
		samePayload(t, first, decode(t, text))
	}
}
