// Package tlstest makes certificates for tests.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"testing"
	"time"

	"strata/internal/testkit/must"
)

// Write writes a self-signed certificate with this serial number, and its key.
func Write(t testing.TB, certificate, key string, serial int64) {
	t.Helper()
	private := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))(t)
	secret := must.Get(x509.MarshalECPrivateKey(private))(t)
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		must.Do(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
}
