package docs

import (
	"fmt"
	"path"
	"strings"

	"warp/internal/core/docs/page"
)

// paths checks the paths in code spans.
func (a *auditor) paths(p *page.Page) {
	for _, s := range p.Spans {
		if denied(s) {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(s.Text, "./"), "/")
		line := ""
		if base, rest, ok := strings.Cut(name, ":"); ok && number(rest) > 0 { // file.go:12
			name, line = base, rest
		}
		if !pathlike(name) && !(strings.HasSuffix(s.Text, "/") && pathlike(s.Text)) {
			continue
		}
		full, missing := a.missing(p, name)
		if !missing {
			a.spanLine(p, s, full, line)
			continue
		}
		message := fmt.Sprintf("%s is not there", name)
		if to, ok := a.tree.Successor(full); ok {
			now := to
			if full != name { // named from the page's folder
				now = relative(p.Path, to, false, false)
			}
			at := s.Offset + strings.Index(s.Text, name)
			if s.Plain && path.Ext(to) == path.Ext(name) {
				a.mend(p, at, name, now, "path", Medium, message+"; it is "+to+" now")
				continue
			}
			message += "; " + to + " may be meant"
		}
		a.report(p, s.Offset, "path", Medium, message)
	}
}

// denied tells whether the words around a span say that what it names is not
// there, or no longer.
func denied(s page.Span) bool {
	before := strings.FieldsFunc(strings.ToLower(s.Before), func(r rune) bool { return r == ' ' || r == ',' || r == '(' })
	for _, w := range before[max(0, len(before)-3):] {
		switch w {
		case "no", "not", "never", "removed", "removes", "old", "former", "formerly", "deprecated", "obsolete", "without", "instead", "missing", "renamed":
			return true
		}
	}
	after := strings.TrimLeft(strings.ToLower(s.After), " )")
	for _, gone := range []string{"is gone", "was removed", "were removed", "is removed", "no longer", "does not exist", "do not exist", "is not there", "was renamed", "is deprecated", "has been removed", "used to"} {
		if strings.HasPrefix(after, gone) {
			return true
		}
	}
	return false
}

// spanLine checks the line of file.go:12.
func (a *auditor) spanLine(p *page.Page, s page.Span, file, line string) {
	text, ok := a.tree.Read(file)
	if n := number(line); n > 0 && ok && a.tree.IsFile(file) && n > strings.Count(text, "\n")+1 {
		a.report(p, s.Offset, "path", Low, fmt.Sprintf("%s has no line %d, it has %d", file, n, strings.Count(text, "\n")+1))
	}
}

// pathlike tells whether a code span can only be a path of a file or folder.
func pathlike(s string) bool {
	if s == "" || len(s) > 200 || strings.ContainsAny(s, " \t*?<>{}$|~`'\"()[]=,;:@#%&!^\\…") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "-") || strings.Contains(s, "...") || strings.Contains(s, "//") {
		return false
	}
	if !strings.Contains(s, "/") {
		return strings.Contains(s, ".")
	}
	return true
}

// missing finds the path in the repository that a page names, and tells whether
// it should be there and is not: it was there once, or what stands before its
// last name is there.
func (a *auditor) missing(p *page.Page, name string) (full string, missing bool) {
	here, inside := resolve(p.Path, name)
	if inside && a.tree.Has(here) {
		return here, false
	}
	for dir := p.Path; dir != "."; { // the page's folder, or any above it
		dir = path.Dir(dir)
		if try := path.Join(dir, name); a.tree.Has(try) {
			return try, false
		}
	}
	was := a.tree.Was(name)
	if !strings.Contains(name, "/") {
		return name, was && len(a.tree.Named(name)) == 0 && !a.tree.Made(name)
	}
	if a.tree.Made(name) || strings.HasPrefix(name, "..") {
		return name, false
	}
	if was {
		return name, true
	}
	if inside && a.tree.Was(here) {
		return here, true
	}
	if a.elsewhere(p.Path) || strings.HasPrefix(name, ".") {
		return name, false
	}
	if a.suffix(name) {
		return name, false
	}
	for _, full := range []string{name, here} {
		if dir := path.Dir(full); full != "" && dir != "." && (a.tree.IsDir(dir) && (path.Ext(full) != "" || a.uniform(dir)) || a.kindred(full)) {
			return full, inside || full == name
		}
	}
	return name, false
}

// kindred tells whether a path has an ending that files have beside the folder
// where it would be.
func (a *auditor) kindred(name string) bool {
	up := path.Dir(path.Dir(name))
	ext := path.Ext(name)
	if up == "." || ext == "" || !a.tree.IsDir(up) {
		return false
	}
	for _, f := range a.tree.Files() {
		if strings.HasPrefix(f, up+"/") && path.Ext(f) == ext {
			return true
		}
	}
	return false
}

// uniform tells whether a folder holds folders or files without an ending, as
// the path would be.
func (a *auditor) uniform(dir string) bool {
	for _, e := range a.tree.Entries(dir) {
		if e.Dir || path.Ext(e.Name) == "" {
			return true
		}
	}
	return false
}

// suffix tells whether a path is the end of a longer one, as when a document
// leaves the first folders out.
func (a *auditor) suffix(name string) bool {
	for _, f := range a.tree.Named(path.Base(name)) {
		if strings.HasSuffix(f, "/"+name) {
			return true
		}
	}
	for _, d := range a.tree.Dirs(path.Base(name)) {
		if strings.HasSuffix(d, "/"+name) {
			return true
		}
	}
	return false
}
