package room

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// installation is what has to be installed for a tree.
type installation struct {
	line, into    string
	lock, program string   // what line installs from, and with; "": it is worktree_setup
	environments  []string // of Python, that worktree_copy names
	key           string   // of what it depends on
	confined      bool
	checks        []check
}

func (in installation) isEmpty() bool { return in.line == "" && len(in.environments) == 0 }

// check is a command that fails if a manifest does not fit its lock file.
type check struct{ name, line string }

// plan returns how to install a tree's dependencies.
func (s Setup) plan(r *Rooms, tree, base string) (in installation) {
	now := s.findParts(r, tree)
	was := map[string]part{}
	if base != "" {
		was = s.findParts(r, base)
	}
	h := sha256.New()
	changed := ""
	in.environments = s.findEnvironments(r)
	for _, name := range in.environments {
		fmt.Fprintf(h, "%s %s\n", name, printEnvironment(filepath.Join(r.Root, name)))
	}
	for above, dir := range r.foldersUp() { // a workspace has its lock file at its top
		for _, e := range ecosystems {
			at := path.Join(dir, e.lock)
			n, had := now[at], was[at].lock
			if n.lock || n.manifest && had {
				fmt.Fprintf(h, "%s %s\n", at, n.print)
			}
			up := ""
			if above > 0 {
				up = "cd " + strings.Repeat("../", above) + " && "
			}
			differs := base == "" || n.print != was[at].print
			switch {
			case !n.lock && (!n.manifest || !had): // not used, or removed by the work
			case e.line == "" && base != "" && differs:
				in.checks = append(in.checks, check{e.frozenName, up + e.frozen})
			case above == 0 && slices.Contains(in.environments, e.into): // the person's own takes its place
			case e.line != "" && s.Command == "" && in.line == "":
				in.lock = e.lock
				in.program, _, _ = strings.Cut(e.line, " ")
				if in.line, in.into = up+e.line, path.Join(dir, e.into); differs {
					in.line, changed = up+cmp.Or(e.frozen, e.line), tree
				}
			}
		}
	}
	if s.Command != "" {
		in.line = s.Command
		n, w := now[others].print, was[others].print
		fmt.Fprintf(h, "%s\n", n)
		if base == "" || n != w {
			changed = tree
		}
	}
	if in.isEmpty() && len(in.checks) == 0 {
		return in
	}
	fmt.Fprintf(h, "%s\n", in.line)
	in.confined = in.line != "" && changed != ""
	in.key = hex.EncodeToString(h.Sum(nil))
	if in.confined || len(in.checks) > 0 {
		in.key += " " + tree
	}
	return in
}

// part is what one lock file and its manifests say in a tree.
type part struct {
	lock, manifest bool // which are there
	print          string
}

// others is the part with all files that a user's own command may install from.
const others = "*"

// findParts returns the parts of a tree by the paths of their lock files.
func (s Setup) findParts(r *Rooms, tree string) map[string]part {
	files, parts := r.manifests(tree), map[string]part{}
	for _, dir := range r.foldersUp() {
		for _, e := range ecosystems {
			at := path.Join(dir, e.lock)
			p := part{lock: files[at] != "", manifest: files[path.Join(dir, e.manifests[0])] != "", print: files[at]}
			for _, name := range e.manifests {
				p.print += " " + files[path.Join(dir, name)]
			}
			parts[at] = p
		}
	}
	all := part{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all.print += name + " " + files[name] + "\n"
	}
	parts[others] = all
	return parts
}

// foldersUp lists the project's folder and those above it; the last one, "", is the top.
func (r *Rooms) foldersUp() (list []string) {
	for dir := r.Prefix; dir != "" && dir != "."; dir = path.Dir(dir) {
		list = append(list, dir)
	}
	return append(list, "")
}

// manifests returns the files a tree is installed from, in the project's folder and above it, with
// fingerprints of what matters in them. They are read once: a tree does not change.
func (r *Rooms) manifests(tree string) map[string]string {
	if was, ok := r.known.Load(tree); ok {
		return was.(map[string]string)
	}
	found := map[string]string{}
	for _, dir := range r.foldersUp() {
		list, err := r.Repo.Trees().Folder(tree, path.Clean(dir))
		if err != nil {
			return map[string]string{}
		}
		for _, e := range list {
			if e.Kind != "blob" || !isManifest(path.Base(e.Path)) {
				continue
			}
			found[e.Path] = e.Hash
			if !hasParts(e.Path) {
				continue
			}
			if text, err := r.Repo.Trees().Content(tree, e.Path, mostManifest); err == nil {
				found[e.Path] = fingerprint(e.Path, text)
			}
		}
	}
	r.known.Store(tree, found)
	return found
}

const mostManifest = 4 << 20 // bytes
