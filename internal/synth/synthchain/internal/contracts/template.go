// Package contracts holds the contracts that accounts and nodes deploy: their sources, their interfaces as nodes post
// them, and what they call their tokens. What a call does is up to package vm.
package contracts

import (
	"fmt"
	"strings"

	"strata/domain/clarity"
	"strata/internal/synth/value"
)

// Template is a kind of contract that accounts deploy.
type Template struct {
	Name    string
	Asset   string // name of its token; empty for none
	Source  string
	members string                            // result of newInterface
	Item    func(number uint64) clarity.Value // returns the id of a non-fungible token
}

// Coin is a fungible token with the functions of SIP-010. Anybody may mint.
var Coin = &Template{
	Name:  "coin",
	Asset: "coin",
	Source: `;; a token for everybody
(define-fungible-token coin)
(define-public (mint (amount uint) (recipient principal))
  (ft-mint? coin amount recipient))
(define-public (transfer (amount uint) (sender principal) (recipient principal) (memo (optional (buff 34))))
  (begin
    (asserts! (is-eq tx-sender sender) (err u4))
    (try! (ft-transfer? coin amount sender recipient))
    (match memo text (print text) 0x)
    (ok true)))
(define-public (burn (amount uint))
  (ft-burn? coin amount tx-sender))
(define-read-only (get-name) (ok "Synthetic Coin"))
(define-read-only (get-symbol) (ok "SYN"))
(define-read-only (get-decimals) (ok u6))
(define-read-only (get-balance (who principal)) (ok (ft-get-balance coin who)))
(define-read-only (get-total-supply) (ok (ft-get-supply coin)))
(define-read-only (get-token-uri) (ok none))
`,
	members: coinInterface("coin"),
}

// coinInterface returns the interface of a fungible token.
func coinInterface(asset string) string {
	return newInterface([]string{
		"public mint amount:uint recipient:principal = bool",
		"public transfer amount:uint sender:principal recipient:principal memo:memo = bool",
		"public burn amount:uint = bool",
		"read_only get-name = text",
		"read_only get-symbol = text",
		"read_only get-decimals = uint",
		"read_only get-balance who:principal = uint",
		"read_only get-total-supply = uint",
		"read_only get-token-uri = uri",
	}, asset, "")
}

// SBTC is the fungible token that pox-5 pays. Whoever mints stands for the signers of sBTC.
var SBTC = &Template{
	Name:    "sbtc-token",
	Asset:   "sbtc-token",
	Source:  strings.ReplaceAll(Coin.Source, " coin", " sbtc-token"),
	members: coinInterface("sbtc-token"),
}

// Manager is a signer manager of pox-5: it registers its keys, and claims rewards.
var Manager = &Template{
	Name: "signer-manager",
	Source: `;; a signer manager
(define-public (validate-stake! (staker principal) (first uint) (cycles uint) (ustx uint) (sats uint) (bond bool))
  (ok true))
(define-public (register (key (buff 33)))
  (contract-call? 'ST000000000000000000002AMW42H.pox-5 register-signer current-contract key))
(define-public (grant (key (buff 33)) (auth uint))
  (contract-call? 'ST000000000000000000002AMW42H.pox-5 grant-signer-key key current-contract auth 0x))
(define-public (claim (cycle uint))
  (contract-call? 'ST000000000000000000002AMW42H.pox-5 claim-rewards (list) cycle))
(define-public (settle (staker principal) (cycle uint))
  (contract-call? 'ST000000000000000000002AMW42H.pox-5 claim-staker-rewards-for-signer staker cycle none))
`,
	members: newInterface([]string{
		"public validate-stake! staker:principal first:uint cycles:uint ustx:uint sats:uint bond:bool = bool",
		"public register key:key = bool",
		"public grant key:key auth:uint = bool",
		"public claim cycle:uint = bool",
		"public settle staker:principal cycle:uint = bool",
	}, "", ""),
}

// Piece is a collection of non-fungible tokens with the functions of SIP-009, numbered from 0. Anybody may
// mint.
var Piece = &Template{
	Name:  "piece",
	Asset: "piece",
	Source: `;; collectibles for everybody
(define-non-fungible-token piece uint)
(define-public (mint (id uint) (recipient principal))
  (nft-mint? piece id recipient))
(define-public (transfer (id uint) (sender principal) (recipient principal))
  (begin
    (asserts! (is-eq tx-sender sender) (err u4))
    (nft-transfer? piece id sender recipient)))
(define-public (burn (id uint))
  (nft-burn? piece id tx-sender))
(define-read-only (get-last-token-id) (ok u0))
(define-read-only (get-token-uri (id uint)) (ok none))
(define-read-only (get-owner (id uint)) (ok (nft-get-owner? piece id)))
`,
	members: newInterface([]string{
		"public mint id:uint recipient:principal = bool",
		"public transfer id:uint sender:principal recipient:principal = bool",
		"public burn id:uint = bool",
		"read_only get-last-token-id = uint",
		"read_only get-token-uri id:uint = uri",
		"read_only get-owner id:uint = owner",
	}, "", "piece:uint"),
	Item: clarity.NewUint64,
}

// Names is a collection of non-fungible tokens whose ids are tuples.
var Names = &Template{
	Name:  "registry",
	Asset: "names",
	Source: `;; a register of names
(define-non-fungible-token names { name: (buff 48), namespace: (buff 20) })
(define-public (mint (id { name: (buff 48), namespace: (buff 20) }) (recipient principal))
  (nft-mint? names id recipient))
(define-public (transfer (id { name: (buff 48), namespace: (buff 20) }) (sender principal) (recipient principal))
  (begin
    (asserts! (is-eq tx-sender sender) (err u4))
    (nft-transfer? names id sender recipient)))
(define-public (burn (id { name: (buff 48), namespace: (buff 20) }))
  (nft-burn? names id tx-sender))
`,
	members: newInterface([]string{
		"public mint id:name recipient:principal = bool",
		"public transfer id:name sender:principal recipient:principal = bool",
		"public burn id:name = bool",
	}, "", "names:name"),
	Item: func(number uint64) clarity.Value {
		name := value.Buffer(fmt.Appendf(nil, "name-%d", number))
		space := value.Buffer("syn")
		return value.Tuple("name", name, "namespace", space)
	},
}

// Vault moves STX and prints.
var Vault = &Template{
	Name: "vault",
	Source: `;; a shared purse
(define-public (deposit (amount uint))
  (stx-transfer? amount tx-sender (as-contract tx-sender)))
(define-public (withdraw (amount uint))
  (let ((caller tx-sender)) (as-contract (stx-transfer? amount tx-sender caller))))
(define-public (destroy (amount uint))
  (stx-burn? amount tx-sender))
(define-public (share (amount uint) (first principal) (second principal))
  (begin
    (try! (stx-transfer? amount tx-sender first))
    (print { topic: "share", amount: amount })
    (stx-transfer? amount tx-sender second)))
(define-public (note (kind uint))
  (begin (print kind) (ok true)))
(define-public (fail (code uint))
  (err code))
`,
	members: newInterface([]string{
		"public deposit amount:uint = bool",
		"public withdraw amount:uint = bool",
		"public destroy amount:uint = bool",
		"public share amount:uint first:principal second:principal = bool",
		"public note kind:uint = bool",
		"public fail code:uint = none",
	}, "", ""),
}

// All returns the contracts that accounts deploy at random.
func All() []*Template { return all }

var all = []*Template{Coin, Piece, Names, Vault}
