package docscheck

import (
	"path"
	"slices"
	"strings"
)

var (
	pathPattern = lazily(`^[^\s*?<>{}$|~\x60'"()\[\]=,;:@#%&!^\\…/-][^\s*?<>{}$|~\x60'"()\[\]=,;:@#%&!^\\…]*$`)
	linePattern = lazily(`^(.+):(\d+)$`)
)

// maxPath bounds the length of what is taken for a path.
const maxPath = 200

// isPath tells whether a word can only be the path of a file or folder.
func isPath(s string) bool {
	return len(s) <= maxPath && pathPattern().MatchString(s) && strings.ContainsAny(s, "/.") && !strings.Contains(s, "...") && !strings.Contains(s, "//")
}

// checkPaths checks the paths in inline code.
func (a *auditor) checkPaths(p *page) {
	for _, s := range p.spans {
		name, line := strings.TrimPrefix(s.text, "./"), ""
		if m := linePattern().FindStringSubmatch(name); m != nil {
			name, line = m[1], m[2]
		}
		if !isPath(name) || p.deniesExistence(s) {
			continue
		}
		name = strings.TrimSuffix(name, "/")
		full, isMissing := a.findPath(p, name)
		if !isMissing {
			a.checkLine(p, s.offset, "path", full, line)
			continue
		}
		a.reportMissing(p, s.offset+strings.Index(s.text, name), "path", Medium, name, full, func(to string) string {
			if full == name {
				return to
			}
			return relativePath(path.Dir(p.path), to) // the page names it from its own folder
		})
	}
}

var (
	deniedBefore = lazily(`(?i)(?:^|[\s,(])(no|not|never|removed|removes|old|former|formerly|deprecated|obsolete|without|instead|missing|renamed)([\s,(]+[^\s,(]+){0,2}[\s,(]*$`)
	deniedAfter  = lazily(`(?i)^[\s)]*(is gone|(was|were|is|has been) (removed|renamed|deprecated)|no longer|do(es)? not exist|used to)`)
)

// deniesExistence tells whether the words around a span say that what it names does
// not exist, or no longer.
func (p *page) deniesExistence(s span) bool {
	before, after := p.around(s)
	return deniedBefore().MatchString(before) || deniedAfter().MatchString(after)
}

// around returns the prose of the block before and after a span; code is blank.
func (p *page) around(s span) (before, after string) {
	start := min(s.block.start, s.offset)
	end := s.offset + len(s.text)
	return strings.TrimRight(p.prose[start:s.offset], "` "), strings.TrimLeft(p.prose[end:max(end, s.block.end)], "` ")
}

// findPath returns the path in the repository that a page means, and whether it
// should exist and does not: git remembers it, or its surroundings exist.
func (a *auditor) findPath(p *page, name string) (full string, isMissing bool) {
	for dir := p.path; dir != "."; { // the page's folder, or any above it
		dir = path.Dir(dir)
		if try := path.Join(dir, name); a.tree.Has(try) {
			return try, false
		}
	}
	here, inside := resolveLink(p.path, name)
	switch {
	case a.tree.mayBeBuilt(name) || strings.HasPrefix(name, ".."):
		return name, false
	case !strings.Contains(name, "/"):
		return name, a.tree.existed(name) && len(a.tree.named[name]) == 0
	case a.tree.existed(name):
		return name, true
	case inside && a.tree.existed(here):
		return here, true
	case a.isTemplate(p.path) || strings.HasPrefix(name, ".") || a.isEndOfPath(name):
		return name, false
	case a.isExpected(name):
		return name, true
	}
	return here, inside && a.isExpected(here)
}

// isEndOfPath tells whether a path is the end of a longer one: documents leave the
// first folders out.
func (a *auditor) isEndOfPath(name string) bool {
	base := path.Base(name)
	return slices.ContainsFunc(slices.Concat(a.tree.named[base], a.tree.dirsNamed(base)), func(full string) bool { return strings.HasSuffix(full, "/"+name) })
}

// isExpected tells whether the surroundings of a path make it a claim about the
// repository: its folder exists and holds such names, or files beside that folder
// have its ending.
func (a *auditor) isExpected(full string) bool {
	dir, ext := path.Dir(full), path.Ext(full)
	if dir == "." {
		return false
	}
	if a.tree.isDir(dir) {
		return ext != "" || slices.ContainsFunc(a.tree.children[dir], func(e entry) bool { return e.isDir || path.Ext(e.name) == "" })
	}
	up := path.Dir(dir)
	return up != "." && ext != "" && slices.ContainsFunc(a.tree.files, func(f string) bool { return strings.HasPrefix(f, up+"/") && path.Ext(f) == ext })
}
