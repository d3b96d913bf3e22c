package picture_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/metadata/picture"
)

// startGateway starts versitygw, an S3 server that keeps objects as files, and checks the signature of each request. It returns
// the address of a bucket, and the folder with the files of its objects.
func startGateway(t *testing.T) (address, objects string) {
	t.Helper()
	program := os.Getenv("STRATA_VERSITYGW")
	if program == "" {
		t.Skip("STRATA_VERSITYGW does not name the program: run make outside TEST=s3")
	}
	root, listener := t.TempDir(), loopback(t)
	folders := map[string]string{}
	for _, name := range []string{"objects", "sidecar", "objects/" + bucketName} {
		folders[name] = filepath.Join(root, name)
		must.Do(t, os.Mkdir(folders[name], 0o700))
	}
	// Not every file system has the attributes in which it otherwise keeps content types.
	gateway := exec.Command(program, "--port", listener, "--access", "key", "--secret", "very/secret", "--quiet",
		"posix", "--sidecar", folders["sidecar"], folders["objects"])
	var output bytes.Buffer
	gateway.Stdout, gateway.Stderr = &output, &output
	must.Do(t, gateway.Start())
	t.Cleanup(func() {
		_ = gateway.Process.Kill()
		_ = gateway.Wait()
		if t.Failed() {
			t.Logf("versitygw: %s", output.Bytes())
		}
	})
	eventually.Holds(t, "versitygw listens", func() bool {
		connection, err := net.DialTimeout("tcp", listener, time.Second)
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	})
	return "s3://key:" + secret + "@" + listener + "/" + bucketName + "/some/prefix?tls=false", folders["objects/"+bucketName]
}

// loopback returns an address that is free now.
func loopback(t *testing.T) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close() //nolint:errcheck // nothing was accepted
	return listener.Addr().String()
}

// A bucket at a server that keeps to the protocol is a store: objects are there with the right names and bytes, requests are
// signed, and who has another secret, or names another bucket, is told so.
func TestS3Server(t *testing.T) {
	address, objects := startGateway(t)
	testStore(t, openStore(t, address))

	body := pngOf(t, gradient(5, 5))
	key := keyOf(body)
	must.Do(t, openStore(t, address).Put(t.Context(), key, body))
	if got, err := os.ReadFile(filepath.Join(objects, "some", "prefix", key.Hex())); err != nil || !bytes.Equal(got, body) {
		t.Errorf("the object has other bytes: %d of %d, %v", len(got), len(body), err)
	}
	for name, tc := range map[string]struct{ address, want string }{
		"other secret": {strings.Replace(address, secret, "another", 1), "check the keys"},
		"other bucket": {strings.Replace(address, bucketName, "nowhere", 1), "create the bucket first"},
	} {
		store := openStore(t, tc.address)
		if err := store.Put(t.Context(), keyOf([]byte("x")), []byte("x")); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: put: got %v", name, err)
		}
		// Whether it is the bucket that is missing, the answer to the request for an object's size does not tell.
		if _, _, err := store.Open(t.Context(), key); err == nil || errors.Is(err, picture.ErrNotFound) != (name == "other bucket") {
			t.Errorf("%s: open: got %v", name, err)
		}
	}

	place, _, _ := strings.Cut(address[strings.Index(address, "@")+1:], "?")
	unsigned := must.Get(http.Get("http://" + place + "/" + key.Hex()))(t)
	defer unsigned.Body.Close() //nolint:errcheck // it was only read
	if _, err := io.Copy(io.Discard, unsigned.Body); err != nil || unsigned.StatusCode != http.StatusForbidden {
		t.Errorf("without a signature: got %s, %v", unsigned.Status, err)
	}
}
