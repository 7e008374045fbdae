// Package docs audits the documentation of a work tree, and mends in place what
// can be mended mechanically. What drift is, core/docs knows; this package reads
// the files, asks git what there is and what became of the rest, and writes. No
// command of the repository is run, and no file outside of it is read.
package docs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	core "warp/internal/core/docs"
	"warp/internal/sys/git"
)

// Finding is one place where documentation and code have drifted apart.
type Finding = core.Finding

// Others are paths of documents that are not the project's own to change, in whichever
// of its folders: they are neither judged nor fixed.
type Others []string

func (o Others) has(file string) bool {
	return slices.ContainsFunc(o, func(p string) bool { return file == p || strings.HasSuffix(file, "/"+p) })
}

// Audit returns what is wrong with the documents of a work tree that are as they
// were committed. Those that somebody is in the middle of are left alone.
func Audit(root string, others Others) ([]Finding, error) { return audit(root, "", others, false) }

// AuditPath audits the documents at or below a path of the work tree, relative
// to its root.
func AuditPath(root, below string, others Others) ([]Finding, error) {
	return audit(root, below, others, true)
}

func audit(root, below string, others Others, unfinished bool) ([]Finding, error) {
	in, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("auditing the documentation: %w", err)
	}
	defer in.Close()
	t, err := read(in)
	if err != nil {
		return nil, fmt.Errorf("auditing the documentation: %w", err)
	}
	below = path.Clean(filepath.ToSlash(below))
	if below != "." && !t.Has(below) {
		return nil, fmt.Errorf("auditing the documentation: git knows no file or folder %s here", below)
	}
	var skip []string
	if !unfinished {
		if skip, err = uncommitted(git.Repo{Dir: root}); err != nil {
			return nil, fmt.Errorf("auditing the documentation: %w", err)
		}
	}
	return core.Audit(t, func(file string) bool {
		return (below == "." || file == below || strings.HasPrefix(file, below+"/")) && !slices.Contains(skip, file) && !others.has(file)
	}), nil
}

// rounds bounds how often mending may bring something new to light.
const rounds = 4

// Sync mends what can be mended mechanically in the documents that are as they
// were committed, and names the files that changed. Only the bytes that the
// findings name are replaced.
func Sync(root string, others Others) (changed []string, err error) {
	skip, err := uncommitted(git.Repo{Dir: root}) // before any is changed
	if err != nil {
		return nil, fmt.Errorf("mending the documentation: %w", err)
	}
	return sync(root, "", others, func(file string) bool { return !slices.Contains(skip, file) })
}

// SyncPath mends the documents at or below a path.
func SyncPath(root, below string, others Others) (changed []string, err error) {
	return sync(root, below, others, func(string) bool { return true })
}

func sync(root, below string, others Others, fits func(file string) bool) (changed []string, err error) {
	for range rounds {
		found, err := AuditPath(root, below, others)
		if err != nil {
			return changed, err
		}
		files, err := mend(root, slices.DeleteFunc(found, func(f Finding) bool { return !fits(f.File) }))
		for _, f := range files {
			if !slices.Contains(changed, f) {
				changed = append(changed, f)
			}
		}
		if err != nil || len(files) == 0 {
			slices.Sort(changed)
			return changed, err
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// mend applies the fixes file by file.
func mend(root string, found []Finding) (changed []string, err error) {
	in, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("mending the documentation: %w", err)
	}
	defer in.Close()
	byFile := map[string][]Finding{}
	for _, f := range found {
		if f.Fix != nil {
			byFile[f.File] = append(byFile[f.File], f)
		}
	}
	for file, list := range byFile {
		text, err := in.ReadFile(file)
		if err != nil {
			return changed, fmt.Errorf("mending %s: %w", file, err)
		}
		mended := core.Mend(string(text), list)
		if mended == string(text) {
			continue
		}
		if err := replace(in, file, mended); err != nil {
			return changed, fmt.Errorf("mending %s: %w", file, err)
		}
		changed = append(changed, file)
	}
	slices.Sort(changed)
	return changed, nil
}

// replace writes a file anew, whole or not at all.
func replace(in *os.Root, file, text string) error {
	info, err := in.Lstat(file)
	if err != nil {
		return err
	}
	temp := file + ".warp-docs"
	f, err := in.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = in.Rename(temp, file)
	}
	if err != nil {
		_ = in.Remove(temp)
	}
	return err
}

// High tells whether something is left that leads a reader into a command that
// fails.
func High(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Severity == core.High })
}
