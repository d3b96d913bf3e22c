package cache

import "crypto/rand"

// turn is the right to make a value, among all processes: a lock in Redis that contains the holder's token. It ends when
// the value is stored, when it is released without a value, or by expiry if the holder dies.
type turn struct{ lock, token string }

// none is no turn.
var none turn

func newTurn(lock string) turn { return turn{lock: lock, token: rand.Text()} }
