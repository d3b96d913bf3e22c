package cache

import (
	"crypto/rand"

	"github.com/redis/go-redis/v9"
)

// turn is the right to make a value, among all processes: a lock in Redis that contains the holder's token. It ends when
// the value is stored, when it is released without a value, or by expiry if the holder dies.
type turn struct{ lock, token string }

// none is no turn.
var none turn

func newTurn(lock string) turn { return turn{lock: lock, token: rand.Text()} }

// unlock deletes the lock if it is still the holder's: after it has expired, another process may hold it.
var unlock = redis.NewScript(`
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	end
	return 0`)
