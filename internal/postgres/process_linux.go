package postgres

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// kin returns the relation of a process to pgdata, from its program, its state and its working directory, which is
// PGDATA for a postmaster.
func kin(pid int, pgdata string) kinship {
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
		return stranger
	}
	if state := stat[shut+2]; state == 'Z' || state == 'X' {
		return stranger // a zombie
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
		return stranger
	}
}
