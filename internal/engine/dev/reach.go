package dev

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/devconfig"
	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// reach gives a command access to dev.json's databases that are not on the network: SQLite files
// sqliteOutside the work tree, and Unix sockets.
func (p *plan) reach(o *contain.Command, own []string) error {
	var values []string
	for _, address := range p.Databases() {
		full, err := p.database(address)
		if err != nil {
			return err
		}
		values = append(values, full)
		if file, ok := p.sqliteOutside(full); ok {
			dir := filepath.Dir(file)
			if p.isSharedFolder(dir) {
				return fmt.Errorf("%s: the database %s is in %s, which has other content and is not visible in the sandbox: move it to a separate folder", devconfig.File, file, dir)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil { // SQLite writes next to the file
				return fmt.Errorf("making the folder of the database: %w", err)
			}
			o.Write = append(o.Write, dir)
		}
	}
	for _, v := range own {
		_, value, _ := strings.Cut(v, "=")
		values = append(values, value)
		// Programs read such an address in different ways: what exists counts.
		if file, ok := p.sqliteOutside(value); ok && contain.IsFolder(filepath.Dir(file)) && !p.isSharedFolder(filepath.Dir(file)) {
			o.Write = append(o.Write, filepath.Dir(file))
		}
	}
	for _, value := range values {
		o.Read = append(o.Read, p.sockets(value)...)
	}
	return nil
}

// sqliteOutside returns the file of a SQLite database that is not in the work tree.
func (p *plan) sqliteOutside(address string) (file string, ok bool) {
	for _, scheme := range []string{"sqlite:", "sqlite3:", "file:"} {
		if name, is := strings.CutPrefix(address, scheme); is {
			name, _, _ = strings.Cut(name, "?")
			file = filepath.FromSlash(strings.TrimPrefix(name, "//"))
			if !filepath.IsAbs(file) {
				file = filepath.Join(p.Root, file)
			}
			return filepath.Clean(file), !contain.Contains(p.Root, file)
		}
	}
	return "", false
}

// sockets returns the Unix sockets that an address or variable names: each one, or for PostgreSQL
// their folder, which gets new ones at each start.
func (p *plan) sockets(value string) (paths []string) {
	if text, err := url.PathUnescape(value); err == nil {
		value = text
	}
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(`?&=@()'" ,;:`, r) })
	if strings.HasPrefix(value, "postgres:///") || strings.HasPrefix(value, "postgresql:///") { // the default locations
		words = append(words, "/var/run/postgresql", "/tmp")
	}
	for _, word := range words {
		if !strings.HasPrefix(word, "/") {
			continue
		}
		path := filepath.Clean(word)
		info, err := os.Stat(path)
		switch {
		case err != nil: // the folder may be followed by a database's name
			paths = append(paths, p.postgresSockets(filepath.Dir(path))...)
		case info.IsDir():
			paths = append(paths, p.postgresSockets(path)...)
		case info.Mode()&os.ModeSocket != 0:
			paths = append(paths, path)
		}
	}
	return paths
}

// postgresSockets returns what to show of a folder with PostgreSQL's sockets.
func (p *plan) postgresSockets(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, ".s.PGSQL.*")) // an odd name finds nothing
	found = slices.DeleteFunc(found, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.Mode()&os.ModeSocket == 0
	})
	if len(found) > 0 && !p.isSharedFolder(dir) {
		return []string{dir}
	}
	return found
}

// isSharedFolder reports whether a folder holds more than a database: showing it, or making it
// writable, would defeat the sandbox.
func (p *plan) isSharedFolder(dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	user, _ := lookup(p.Environ)("HOME")
	return contain.Contains(dir, p.Root) || user != "" && contain.Contains(dir, user) ||
		slices.Contains([]string{"/tmp", "/var", "/var/tmp", "/var/lib", "/run", "/var/run", "/dev", "/dev/shm", "/srv", "/opt", "/mnt"}, dir) ||
		slices.ContainsFunc([]string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/proc", "/sys", "/run/user", "/boot"}, func(top string) bool { return contain.Contains(top, dir) })
}

// home names the home folder of dev.json's commands. Commands that judge have another: a
// long-running server could leave something there.
const home = "dev"

// confine puts a command of dev.json into its sandbox: an agent may have written it. It uses the
// machine's network, since browsers and checks have to reach the server, and the server databases.
// done cleans up after it.
func (p *plan) confine(c proc.Cmd, port int) (confined proc.Cmd, done func() error, err error) {
	if p.Confine == nil {
		return c, func() error { return nil }, nil
	}
	own, err := p.ownVariables(port)
	if err != nil {
		return c, nil, err
	}
	o := contain.Command{Name: home, Env: p.Variables(), Set: own, Network: sandbox.OpenNet}
	if err := p.reach(&o, own); err != nil {
		return c, nil, err
	}
	return p.Confine(c, o)
}

// runConfined runs a command of dev.json in its sandbox.
func (p *plan) runConfined(ctx context.Context, c proc.Cmd, port int) (proc.Result, error) {
	c, done, err := p.confine(c, port)
	if err != nil {
		return proc.Result{}, err
	}
	res, err := proc.Run(ctx, c)
	return res, errors.Join(err, done())
}
