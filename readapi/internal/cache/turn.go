package cache

import (
	"crypto/rand"

	"github.com/redis/go-redis/v9"
)

// turn to make a value, among all processes: a lock in Redis that holds a token of the holder's. It ends when the
// value is stored, when it is given back without one, or by itself if the holder dies.
type turn struct{ lock, token string }

// none is no turn.
var none turn

func newTurn(lock string) turn { return turn{lock: lock, token: rand.Text()} }

// unlock deletes the lock if it is still the holder's: after its time is over it may be another's.
var unlock = redis.NewScript(`
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	end
	return 0`)
