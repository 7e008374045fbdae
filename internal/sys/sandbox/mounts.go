package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mount is one path inside a box.
type mount struct {
	from, to string
	how      how
}

type how int

const (
	readOnly how = iota
	writable
	empty // a private, temporary folder
)

// mounts returns the paths of a profile, parents before children. Of two entries for the same path
// the later in this order wins: frozen overrides writable.
func (p Profile) mounts() []mount {
	var all []mount
	add := func(how how, from, to string) {
		all = slices.DeleteFunc(all, func(m mount) bool { return m.to == to })
		all = append(all, mount{from, to, how})
	}
	if p.Home != "" {
		add(empty, "", p.Home)
	}
	for _, path := range p.Read {
		if exists(path) {
			add(readOnly, path, path)
		}
	}
	if p.Tree != "" {
		add(writable, p.Tree, p.Tree)
	}
	for _, path := range p.Write {
		add(writable, path, path)
	}
	for _, path := range p.Frozen {
		// Binding over a missing path would leave an empty file in the user's tree.
		if exists(path) {
			add(readOnly, path, path)
		}
	}
	for _, b := range p.Binds {
		how := writable
		if b.ReadOnly {
			how = readOnly
		}
		add(how, b.From, b.To)
	}
	for _, m := range all {
		all = append(all, pins(all, m)...)
	}
	slices.SortStableFunc(all, func(a, b mount) int {
		return cmp.Compare(strings.Count(a.to, "/"), strings.Count(b.to, "/"))
	})
	return all
}

// pins returns the folders between a read-only path and the writable mount that contains it, each
// mounted onto itself. A mount point cannot be renamed, but a folder above it could be, with a
// writable copy left in its place.
func pins(all []mount, m mount) (list []mount) {
	if m.how != readOnly {
		return nil
	}
	for dir := filepath.Dir(m.to); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		at := slices.IndexFunc(all, func(m mount) bool { return m.to == dir })
		if at < 0 {
			list = append(list, mount{to: dir})
			continue
		}
		if all[at].how != writable {
			return nil
		}
		for i := range list {
			rest, _ := filepath.Rel(dir, list[i].to) // it is below
			list[i].how, list[i].from = writable, filepath.Join(all[at].from, rest)
		}
		return slices.DeleteFunc(list, func(m mount) bool { return !isFolder(m.from) })
	}
	return nil
}

// isFolder reports whether a path is a folder itself, not a link to one.
func isFolder(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// volume returns the mount as an option for docker and podman.
func (m mount) volume() []string {
	switch m.how {
	case empty:
		return []string{"--tmpfs", m.to}
	case readOnly:
		return []string{"-v", m.from + ":" + m.to + ":ro"}
	}
	return []string{"-v", m.from + ":" + m.to}
}

// String describes the mount for a person.
func (m mount) String() string {
	switch {
	case m.how == empty:
		return "empty      " + m.to
	case m.how == readOnly && m.from != m.to:
		return "read-only  " + m.to + ", a copy"
	case m.how == readOnly:
		return "read-only  " + m.to
	case m.from != m.to:
		return "private    " + m.to
	}
	return "writable   " + m.to
}

// Explain lists what a process sees of the file system, one line per path.
func (p Profile) Explain() []string {
	lines := []string{}
	for _, m := range slices.Concat(systemMounts(), p.mounts()) {
		lines = append(lines, m.String())
	}
	return lines
}

// systemFolders are what every program needs of the system. Of /etc it gets only lookup data: keys,
// passwords and other programs' settings are not for an agent.
var systemFolders = []string{"/usr", "/opt", "/nix/store", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

var systemFiles = []string{
	"alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "debian_version", "fonts", "gitconfig", "group", "host.conf",
	"hosts", "inputrc", "java-17-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "locale.alias", "locale.conf",
	"machine-id", "magic", "mime.types", "nsswitch.conf", "os-release", "passwd", "perl", "pki/tls/certs", "pki/ca-trust", "profile.d",
	"protocols", "python3", "resolv.conf", "rpc", "services", "shells", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone",
}

// system returns what a box sees of the system.
func (p Profile) system() ([]mount, error) {
	if p.Etc == "" {
		return systemMounts(), nil
	}
	etc, err := etcMounts(p.Etc)
	return append(folderMounts(), etc...), err
}

func folderMounts() (all []mount) {
	for _, path := range systemFolders {
		if exists(path) {
			all = append(all, mount{path, path, readOnly})
		}
	}
	return all
}

func systemMounts() []mount {
	all := folderMounts()
	for _, name := range systemFiles {
		if path := filepath.Join("/etc", name); exists(path) {
			all = append(all, mount{path, path, readOnly})
		}
	}
	return all
}

// mostOfEtc bounds the size of a copied file.
const mostOfEtc = 4 << 20

// etcMounts returns what a box sees of /etc: copies of the files, in a folder of ours, and the
// folders themselves. One mount per file would take most of a box's start-up time.
func etcMounts(dir string) ([]mount, error) {
	all := []mount{{dir, "/etc", readOnly}}
	for _, name := range systemFiles {
		path, copied := filepath.Join("/etc", name), filepath.Join(dir, name)
		st, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := os.RemoveAll(copied); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			continue // this user cannot read it either
		case st.IsDir():
			if err := os.MkdirAll(copied, 0o755); err != nil {
				return nil, err
			}
			all = append(all, mount{path, path, readOnly})
		case st.Mode().IsRegular() && st.Size() <= mostOfEtc:
			if err := copyNewer(path, copied, st); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// copyNewer copies a file if it changed since the last copy.
func copyNewer(from, to string, st fs.FileInfo) error {
	if old, err := os.Lstat(to); err == nil && old.Mode().IsRegular() && old.Size() == st.Size() && old.ModTime().Equal(st.ModTime()) {
		return nil
	}
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".copy-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close(), os.Chtimes(f.Name(), st.ModTime(), st.ModTime()))
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
