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
	change   bool // this process runs as root and must switch to the account
}

// self returns the account of this process.
func self() account { return account{uid: os.Geteuid(), gid: os.Getegid()} }

// serviceUsers are the users that may run the server for root, in order of preference.
var serviceUsers = []string{"postgres", "_postgres", "nobody"}

// serviceAccount returns the first of serviceUsers that exists.
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

// owner returns the uid and gid of the owner of path. It follows links.
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
		return 0, 0, fmt.Errorf("%s: the file system does not report an owner", info.Name())
	}
	return int(stat.Uid), int(stat.Gid), nil
}

// String returns the user's name, or its number if it has no name.
func (a account) String() string {
	if u, err := user.LookupId(strconv.Itoa(a.uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(a.uid)
}

// attr returns the attributes that make a child process run as the account, in its own session.
func (a account) attr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.change {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// own makes the account the owner of path, but not of files below it. It does nothing if this process runs as the
// account.
func (a account) own(path string) error {
	if !a.change {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// ownAll makes the account the owner of path and of all files below it.
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

// reaches reports whether the account can enter dir. It asks the kernel, by running probe, a program that ends by
// itself, as the account in dir; so groups, ACLs and mount options count, too.
func (a account) reaches(dir string, probe ...string) bool {
	cmd := exec.Command(probe[0], probe[1:]...)
	cmd.SysProcAttr = a.attr()
	cmd.Dir = dir
	return cmd.Run() == nil
}

// blockedBy returns the topmost folder on the way to dir that other users may not enter, for a message; empty if there
// is none.
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
