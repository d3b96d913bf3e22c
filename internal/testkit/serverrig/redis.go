package serverrig

import (
	"fmt"
	"net"
	"os/exec"
)

// Redis returns the path and the arguments of a Redis that stores nothing on disk, and the address where it will listen.
func Redis() (path string, args []string, address string, err error) {
	if path, err = exec.LookPath("redis-server"); err != nil {
		return "", nil, "", fmt.Errorf("%w: install Debian's package redis-server, or your system's", err)
	}
	if address, err = FreeAddress(); err != nil {
		return "", nil, "", err
	}
	host, port, err := net.SplitHostPort(address)
	return path, []string{"--bind", host, "--port", port, "--save", "", "--appendonly", "no"}, address, err
}
