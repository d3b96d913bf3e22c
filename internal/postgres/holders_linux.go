package postgres

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holders describes the processes that hold a flock on a file, from /proc/locks.
func holders(path string) (found []string) {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return nil
	}
	inode := ":" + strconv.FormatUint(stat.Ino, 10) // devices may have other numbers there than stat tells
	for line := range strings.Lines(string(locks)) {
		// "1: FLOCK  ADVISORY  READ 4711 fd:01:123456 0 EOF"; one that waits has "->" after the number.
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[1] != "FLOCK" || !strings.HasSuffix(fields[5], inode) {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil && pid > 0 {
			found = append(found, describe(pid))
		}
	}
	return found
}

// describe names a process by its id and the beginning of its command line.
func describe(pid int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	args := strings.Split(string(bytes.TrimRight(line, "\x00")), "\x00")
	if err != nil || args[0] == "" {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, strings.Join(args[:min(2, len(args))], " "))
}

// runs reports whether a process runs the program of this name.
func runs(pid int, program string) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && string(bytes.TrimSpace(name)) == program
}
