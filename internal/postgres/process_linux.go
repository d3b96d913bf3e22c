package postgres

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// kin compares the process with the postmaster of pgdata by its program, its state and its working directory, which
// for a postmaster is its PGDATA.
func kin(pid int, pgdata string) kinship {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return unknown
	}
	// "pid (name) state …"; the name may itself hold spaces and parentheses.
	open, shut := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || shut < open || shut+2 >= len(stat) {
		return unknown
	}
	if name := string(stat[open+1 : shut]); name != "postgres" && name != "postmaster" {
		return stranger
	}
	if state := stat[shut+2]; state == 'Z' || state == 'X' {
		return stranger // it has ended, and only waits for its parent to notice
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
