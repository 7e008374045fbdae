package docscheck

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

var (
	pathPattern = lazy.Pattern{Text: `^[^\s*?<>{}$|~\x60'"()\[\]=,;:@#%&!^\\…/-][^\s*?<>{}$|~\x60'"()\[\]=,;:@#%&!^\\…]*$`}
	lineNumber  = lazy.Pattern{Text: `:\d+$`}
)

// isPath reports whether a word can only be the path of a file or folder.
func isPath(s string) bool {
	return pathPattern.Get().MatchString(s) && strings.ContainsAny(s, "/.") && !strings.Contains(s, "...") && !strings.Contains(s, "//")
}

// checkPaths checks the paths in inline code.
func (c *pageCheck) checkPaths() {
	for _, s := range c.spans {
		name := lineNumber.Get().ReplaceAllString(strings.TrimPrefix(s.text, "./"), "")
		if !isPath(name) || c.deniesExistence(s) {
			continue
		}
		name = strings.TrimSuffix(name, "/")
		if full, isMissing := c.findPath(name); isMissing {
			dir := ""
			if full != name {
				dir = path.Dir(c.path) // the path is relative to the page
			}
			c.reportMissing(s.offset+strings.Index(s.text, name), "path", Medium, name, full, dir)
		}
	}
}

var (
	deniedBefore = lazy.Pattern{Text: `(?i)(?:^|[\s,(])(no|not|never|removed|removes|old|former|formerly|deprecated|obsolete|without|instead|missing|renamed)([\s,(]+[^\s,(]+){0,2}[\s,(]*$`}
	deniedAfter  = lazy.Pattern{Text: `(?i)^[\s)]*(is gone|(was|were|is|has been) (removed|renamed|deprecated)|no longer|do(es)? not exist|used to)`}
)

// deniesExistence reports whether the words around a span say that what it names does not exist, or
// no longer does.
func (p *page) deniesExistence(s span) bool {
	before, after := p.around(s)
	return deniedBefore.Get().MatchString(before) || deniedAfter.Get().MatchString(after)
}

// around returns the block's prose before and after a span, or only its cell in a table; code is
// blank.
func (p *page) around(s span) (before, after string) {
	end := s.offset + len(s.text)
	before = p.prose[min(s.block.start, s.offset):s.offset]
	after, _, _ = strings.Cut(p.prose[end:max(end, s.block.end)], "|")
	return strings.TrimRight(before[strings.LastIndexByte(before, '|')+1:], "` "), strings.TrimLeft(after, "` ")
}

// findPath returns the path in the repository that the page means, and whether it should exist but
// does not: git remembers it, or its surroundings exist.
func (c *pageCheck) findPath(name string) (full string, isMissing bool) {
	for _, dir := range c.folders() {
		if try := path.Join(dir, name); c.tree.Has(try) {
			return try, false
		}
	}
	here, inside := resolveLink(c.path, name)
	switch {
	case c.tree.mayBeBuilt(name) || strings.HasPrefix(name, ".."):
		return name, false
	case !strings.Contains(name, "/"):
		return name, c.tree.existed(name) && len(c.tree.named[name]) == 0
	case c.tree.existed(name):
		return name, true
	case inside && c.tree.existed(here):
		return here, true
	case c.isTemplate || strings.HasPrefix(name, ".") || c.tree.isEndOfPath(name):
		return name, false
	case c.tree.isExpected(name):
		return name, true
	}
	return here, inside && c.tree.isExpected(here)
}

// isEndOfPath reports whether a path is the end of a longer one: documents omit the first folders.
func (t *Tree) isEndOfPath(name string) bool {
	return slices.ContainsFunc(t.named[path.Base(name)], func(full string) bool { return strings.HasSuffix(full, "/"+name) })
}

// isExpected reports whether the surroundings of a path make it a claim about the repository: its
// folder exists and has similar names, or files next to that folder have its extension.
func (t *Tree) isExpected(full string) bool {
	dir, ext := path.Dir(full), path.Ext(full)
	if dir == "." {
		return false
	}
	if t.isDir(dir) {
		return ext != "" || slices.ContainsFunc(t.children[dir], func(name string) bool { return path.Ext(name) == "" || strings.HasSuffix(name, "/") })
	}
	up := path.Dir(dir)
	return up != "." && ext != "" && slices.ContainsFunc(t.files, func(f string) bool { return strings.HasPrefix(f, up+"/") && path.Ext(f) == ext })
}
