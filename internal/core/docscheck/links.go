package docscheck

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

var (
	// outsidePattern matches destinations outside the repository, and those filled in later.
	outsidePattern = lazy.Pattern{Text: `^(//|\\|@|~|[^/#?.:]*:)|[{}<>$]`}
	imagePattern   = lazy.Pattern{Text: `(?i)\.(png|jpe?g|gif|svg|webp|ico|avif)$`}
)

// checkLinks checks links and images within the repository.
func (c *pageCheck) checkLinks() {
	if strings.HasPrefix(c.path, ".github/") && strings.Contains(strings.ToUpper(c.path), "_TEMPLATE") {
		return // GitHub shows it as an issue or a pull request
	}
	for _, l := range c.links {
		dest, fragment, _ := strings.Cut(l.dest, "#")
		dest, _, _ = strings.Cut(dest, "?")
		switch {
		case outsidePattern.Get().MatchString(l.dest):
		case dest == "":
			c.checkAnchor(c.page, l, fragment)
		default:
			c.checkTarget(l, dest, fragment)
		}
	}
}

// siteFiles are the settings of static site generators.
var siteFiles = []string{"mkdocs.yml", "docusaurus.config.js", "docusaurus.config.ts", "_config.yml", "hugo.toml", "hugo.yaml", "astro.config.mjs", "book.toml", "netlify.toml", "conf.py", "antora.yml"}

func (c *pageCheck) checkTarget(l link, dest, fragment string) {
	name := unescape(dest)
	full, inside := resolveLink(c.path, name)
	if !inside {
		return // such as ../../issues, which GitHub knows
	}
	if target, ok := c.tree.findTarget(full); ok {
		if target != nil {
			c.checkAnchor(target, l, fragment)
		}
		return
	}
	// A website has pages at addresses that are not files.
	isSite := slices.ContainsFunc(siteFiles, func(name string) bool { return len(c.tree.named[name]) > 0 })
	isAddress := isSite && (strings.HasPrefix(name, "/") || path.Ext(name) == "")
	if isAddress || c.tree.mayBeBuilt(full) {
		return
	}
	rule := "link"
	if imagePattern.Get().MatchString(name) {
		rule = "image"
	}
	if below, isRooted := strings.CutPrefix(dest, "/"); isRooted {
		c.reportMissing(l.offset+1, rule, Medium, below, full, "")
	} else {
		c.reportMissing(l.offset, rule, Medium, dest, full, path.Dir(c.path))
	}
}

// unescape decodes an address, or returns it unchanged if it is malformed.
func unescape(s string) string {
	plain, _ := url.PathUnescape(s)
	return cmp.Or(plain, s)
}

// resolveLink returns the path in the repository that a page's link means.
func resolveLink(from, dest string) (full string, inside bool) {
	if strings.HasPrefix(dest, "/") {
		return path.Clean(dest)[1:], true
	}
	full = path.Join(path.Dir(from), dest)
	return full, full != ".." && !strings.HasPrefix(full, "../")
}

// relativePath returns the relative path from a folder to a path.
func relativePath(dir, to string) string {
	up := ""
	for dir = cleanPath(dir); dir != "" && !strings.HasPrefix(to, dir+"/"); dir = cleanPath(path.Dir(dir)) {
		up += "../"
	}
	return up + strings.TrimPrefix(strings.TrimPrefix(to, dir), "/")
}

// findTarget returns the page that a link leads to; nil for other files and folders. Websites omit
// the extension.
func (t *Tree) findTarget(full string) (shown *page, ok bool) {
	for _, file := range []string{full, full + ".md", full + ".mdx", strings.TrimSuffix(full, ".html") + ".md"} {
		if !t.Has(file) {
			continue
		}
		for _, name := range []string{"", "README.md", "readme.md", "index.md"} {
			if try := path.Join(file, name); t.isFile(try) && documentPattern.Get().MatchString(try) {
				return t.readPage(try), true
			}
		}
		return nil, true
	}
	return nil, false
}

// knownAnchors matches fragments that need no heading: footnotes, lines, text, and a website's
// client-side routes.
var knownAnchors = lazy.Pattern{Text: `^(top|readme|:~:.*|fn.*|L\d+.*|/.*)?$`}

func (c *pageCheck) checkAnchor(target *page, l link, fragment string) {
	name := strings.TrimPrefix(unescape(fragment), "user-content-")
	if target.anchors[name] || knownAnchors.Get().MatchString(name) {
		return
	}
	where := "this page"
	if target != c.page {
		where = target.path
	}
	hint := text.DidYouMean(name, slices.Sorted(maps.Keys(target.anchors)))
	c.report(l.offset+strings.IndexByte(l.dest, '#')+1, "anchor", Low, "%s has no heading #%s%s", where, name, hint)
}

// parseInt returns a number, or 0 if s is none.
func parseInt(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// referencePattern matches [text][name], but not an array index: the text does not follow a word
// directly, and the name is no number.
var referencePattern = lazy.Pattern{Text: `(?:^|[\s(*_"|])(\[[^\[\]\n\x60"']+\]\[([^\[\]\n\x60"'\d][^\[\]\n\x60"']+)\])`}

// checkReferences finds [text][name] without a definition of the name: readers see the brackets.
func (c *pageCheck) checkReferences() {
	for _, m := range referencePattern.Get().FindAllStringSubmatchIndex(c.prose, -1) {
		if name := c.source[m[4]:m[5]]; !c.references[strings.ToLower(name)] {
			c.report(m[2], "link", Medium, "no line defines the link [%s]", name)
		}
	}
}
