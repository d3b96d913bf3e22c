//go:build !linux

package postgres

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ownershipOf returns the relation of a process to pgdata, from its program and arguments according to ps. launch passes PGDATA
// to the postmaster as an argument.
func ownershipOf(pid int, pgdata string) ownership {
	program, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return unknown
	}
	if name := filepath.Base(strings.TrimSpace(string(program))); name != "postgres" && name != "postmaster" {
		return foreign
	}
	command, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err == nil && strings.Contains(string(command), pgdata) {
		return ours
	}
	return unknown
}
