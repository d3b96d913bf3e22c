package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the operating system user that runs the server.
type account struct {
	uid, gid int
	change   bool // this process is another user (root) and has to switch
}

// self is the account of this process.
func self() account { return account{uid: os.Geteuid(), gid: os.Getegid()} }

// serviceUsers are the users that may run the server for root, in order of preference.
var serviceUsers = []string{"postgres", "_postgres", "nobody"}

// serviceAccount is the first of serviceUsers that exists.
func serviceAccount() (account, error) {
	for _, name := range serviceUsers {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("user %s has the uid %q: %w", name, u.Uid, err)
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("user %s has the gid %q: %w", name, u.Gid, err)
		}
		if uid != 0 {
			return account{uid: int(uid), gid: int(gid), change: true}, nil
		}
	}
	return account{}, errors.New("PostgreSQL refuses to run as root and there is no user postgres or nobody " +
		"to run it as: run strata as another user")
}

// owner returns the uid and gid that own path (following links).
func owner(path string) (uid, gid int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	return ownerOf(info)
}

func ownerOf(info os.FileInfo) (uid, gid int, err error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, fmt.Errorf("%s: the file system names no owner", info.Name())
	}
	return int(stat.Uid), int(stat.Gid), nil
}

// String is the user's name, or its number where it has none.
func (a account) String() string {
	if u, err := user.LookupId(strconv.Itoa(a.uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(a.uid)
}

// attr makes a child process run as the account, in a session of its own.
func (a account) attr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.change {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// own gives path itself to the account, when it is another than this process.
func (a account) own(path string) error {
	if !a.change {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// ownAll gives path and all below it to the account.
func (a account) ownAll(path string) error {
	if !a.change {
		return nil
	}
	return filepath.WalkDir(path, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return a.own(p)
	})
}

// reaches says if the account can enter dir. The kernel is asked, by a process that changes to the account and
// then into dir, so that groups, ACLs and mount options all count. probe is a program that ends by itself.
func (a account) reaches(dir string, probe ...string) bool {
	cmd := exec.Command(probe[0], probe[1:]...)
	cmd.SysProcAttr = a.attr()
	cmd.Dir = dir
	return cmd.Run() == nil
}

// blockedBy is the topmost folder on the way to dir that "others" may not enter, for a message; empty when none.
func blockedBy(dir string) string {
	blocked := ""
	for {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o001 == 0 {
			blocked = dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return blocked
		}
		dir = parent
	}
}
