package guard

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// folderMost is how many files an ignored folder may have to be copied. Larger ones are
// dependencies or caches, which tools recreate.
const folderMost = 1000

// copy copies what git does not have: uncommitted and ignored files, and .claude.
func (g *Guard) copy(now git.Print) error {
	wanted := map[string]bool{} // true: to be copied whole
	for p := range g.index.Hidden {
		wanted[p] = true // git does not look at them, but they exist
	}
	var left []string
	for p, is := range now.Dirty {
		if strings.HasSuffix(p, "/") { // a nested repository
			left = append(left, p)
		} else if is != git.Gone {
			wanted[p] = true
		}
	}
	own := path.Join(g.prefix, stateFolder) + "/"
	for _, p := range now.Ignored {
		if strings.HasPrefix(p, own) { // addState copies it, without locks and logs
			continue
		}
		list, ok := g.files.list(p)
		if !ok {
			left = append(left, p)
			continue
		}
		for _, f := range list {
			if !wanted[f] {
				wanted[f] = false
			}
		}
	}
	for p, whole := range wanted {
		if err := g.files.add(p, whole); err != nil {
			return err
		}
	}
	if left = append(left, g.files.left...); !g.files.named && len(left) > 0 {
		g.Remark("not protected while agents run, because they are too many or too large to copy: %s", text.Quote(left, 5))
	}
	g.files.named, g.files.left = true, nil
	err := g.files.keepOnly(func(rel string) bool {
		_, is := wanted[rel]
		return is
	})
	return errors.Join(err, g.own.addState())
}

// list lists the files of an ignored path; false if there are too many.
func (c *copies) list(p string) (list []string, ok bool) {
	err := filepath.WalkDir(c.live(p), func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be read cannot be copied
		}
		if len(list) >= folderMost {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(c.root, full)
		list = append(list, filepath.ToSlash(rel))
		return err
	})
	return list, err == nil && len(list) < folderMost
}

// restoreIgnored restores ignored files that are missing or emptied. In an ignored folder that was
// rebuilt, as npm ci does, missing files stay missing, and their copies are kept.
func (r *Run) restoreIgnored() (again bool, err error) {
	g := r.g
	var back, lost []string
	for rel := range g.files.stamps {
		if _, dirty := r.before.Dirty[rel]; dirty || !isIgnored(r.before.Ignored, rel) && !g.index.Hidden[rel] {
			continue
		}
		was, absent := os.Lstat(g.files.at(rel))
		if absent != nil {
			continue
		}
		now, absent := os.Lstat(g.files.live(rel))
		if absent != nil || now.Mode().Type() != was.Mode().Type() || now.Size() == 0 && was.Size() != 0 {
			list := &back
			if !g.files.intact(rel) {
				list = &lost
			}
			*list = append(*list, rel)
			continue
		}
		err = errors.Join(err, r.keepSecret(rel))
	}
	remade := r.findRebuilt(back)
	back = slices.DeleteFunc(back, func(rel string) bool {
		if !remade[topFolder(r.before.Ignored, rel)] {
			return false
		}
		if was, ok := g.files.read(rel); ok {
			err = errors.Join(err, g.repo.setAside(rel, was))
			g.Remark("%s is gone from an ignored folder that was rebuilt; it is kept in %s", rel, g.repo.replacedFolder())
		}
		return true
	})
	r.reportPaths(Destroyed, "", "LOST: the agent destroyed these, and no unchanged copy is left", lost)
	if err != nil || len(back) == 0 {
		return false, err
	}
	if err := r.putCopies(back); err != nil {
		return true, err
	}
	r.reportPaths(Destroyed, "", "the agent deleted files that git does not have; they were put back", back)
	return true, nil
}

// findRebuilt returns the ignored folders that lost files and gained others.
func (r *Run) findRebuilt(gone []string) map[string]bool {
	folders := map[string]bool{}
	for _, rel := range gone {
		top := topFolder(r.before.Ignored, rel)
		if top == "" || folders[top] {
			continue
		}
		list, _ := r.g.files.list(top)
		folders[top] = slices.ContainsFunc(list, func(f string) bool { return r.g.files.stamps[f] == stamp{} })
	}
	return folders
}

// isIgnored reports whether a path is ignored, or below an ignored folder.
func isIgnored(ignored []string, path string) bool {
	return slices.Contains(ignored, path) || topFolder(ignored, path) != ""
}

// topFolder returns the ignored folder that a path is in; "" if there is none.
func topFolder(ignored []string, rel string) string {
	for _, i := range ignored {
		if strings.HasSuffix(i, "/") && strings.HasPrefix(rel, i) {
			return i
		}
	}
	return ""
}
