package redistest

import (
	"errors"
	"net"
	"strconv"
)

// busOffset is the distance from a cluster node's port to the port of its bus, where it talks to other nodes.
const busOffset = 10_000

// freePort returns a port of the loopback interface that is free now, but may be taken by the time it is used. The
// corresponding port of a cluster node's bus is free, too.
func freePort() (int, error) {
	for range 100 {
		port, err := listenOnce(0)
		if err != nil {
			return 0, err
		}
		if port+busOffset > 65535 {
			continue
		}
		if _, err := listenOnce(port + busOffset); err == nil {
			return port, nil
		}
	}
	return 0, errors.New("find a free port: found none whose port for the cluster bus, 10000 above it, is free, too")
}

// listenOnce listens on a port for a moment and returns its number. Port 0 stands for any free port.
func listenOnce(port int) (int, error) {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return 0, err
	}
	defer listener.Close() //nolint:errcheck // nothing was sent or received
	_, text, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
