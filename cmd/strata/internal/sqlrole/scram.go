package sqlrole

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// iterations is what Postgres uses by default.
const iterations = 4096

// scram returns what Postgres stores for a password (RFC 5803), so that the password itself is in no statement, and in no log
// of statements.
func scram(password string) (string, error) {
	if password == "" {
		return "", errors.New("it is empty")
	}
	for _, c := range []byte(password) {
		if c < ' ' || c > '~' {
			return "", errors.New("it has other characters than printable ASCII, which clients encode in different ways")
		}
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	return scramWith(password, salt)
}

func scramWith(password string, salt []byte) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	stored := sha256.Sum256(mac(salted, "Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, encode(salt), encode(stored[:]), encode(mac(salted, "Server Key"))), nil
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
