package postgres

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// ownershipOf returns the relation of a process to pgdata, from its program, its state and its working directory, which is
// PGDATA for a postmaster.
func ownershipOf(pid int, pgdata string) ownership {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return unknown
	}
	// "pid (name) state …"; the name may contain spaces and parentheses.
	open, shut := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || shut < open || shut+2 >= len(stat) {
		return unknown
	}
	if name := string(stat[open+1 : shut]); name != "postgres" && name != "postmaster" {
		return foreign
	}
	if state := stat[shut+2]; state == 'Z' || state == 'X' {
		return foreign // a zombie
	}
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return unknown
	}
	real, err := filepath.EvalSymlinks(pgdata)
	switch {
	case err != nil:
		return unknown
	case cwd == real:
		return ours
	default:
		return foreign
	}
}
