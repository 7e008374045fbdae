package docscheck

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"warp/internal/core/text"
)

// outsidePattern matches destinations outside of the repository, and those that
// are filled in later.
var outsidePattern = lazily(`^(//|\\|@|~|[^/#?.:]*:)|[{}<>$]`)

var imagePattern = lazily(`(?i)\.(png|jpe?g|gif|svg|webp|ico|avif)$`)

// checkLinks checks the targets of links and images within the repository.
func (a *auditor) checkLinks(p *page) {
	if strings.HasPrefix(p.path, ".github/") && strings.Contains(strings.ToUpper(p.path), "_TEMPLATE") {
		return // GitHub shows it as an issue or a pull request
	}
	for _, l := range p.links {
		dest, fragment, _ := strings.Cut(l.dest, "#")
		dest, _, _ = strings.Cut(dest, "?")
		switch {
		case outsidePattern().MatchString(l.dest):
		case dest == "":
			a.checkAnchor(p, p, l, fragment)
		default:
			a.checkTarget(p, l, dest, fragment)
		}
	}
}

func (a *auditor) checkTarget(p *page, l link, dest, fragment string) {
	name := unescape(dest)
	full, inside := resolveLink(p.path, name)
	if !inside {
		return // such as ../../issues, which GitHub knows
	}
	if file, target, ok := a.findTarget(full); ok {
		if target != nil {
			a.checkAnchor(p, target, l, fragment)
		} else if line, ok := strings.CutPrefix(fragment, "L"); ok {
			a.checkLine(p, l.offset, "anchor", file, line)
		}
		return
	}
	// A website has pages at addresses that are no files.
	isAddress := a.isSite && (strings.HasPrefix(name, "/") || path.Ext(name) == "")
	if isAddress || a.tree.mayBeBuilt(full) {
		return
	}
	rule := "link"
	if imagePattern().MatchString(name) {
		rule = "image"
	}
	a.reportMissing(p, l.offset, rule, Medium, dest, full, func(to string) string {
		if strings.HasPrefix(dest, "/") {
			return "/" + to
		}
		return strings.ReplaceAll(relativePath(path.Dir(p.path), to), " ", "%20")
	})
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// resolveLink returns the path in the repository that a page means by a path.
func resolveLink(from, dest string) (full string, inside bool) {
	if strings.HasPrefix(dest, "/") {
		full = path.Clean(dest)[1:]
	} else {
		full = path.Join(path.Dir(from), dest)
	}
	return full, full != ".." && !strings.HasPrefix(full, "../")
}

// relativePath returns the way from a folder to a path.
func relativePath(dir, to string) string {
	var here []string
	if dir = cleanPath(dir); dir != "" {
		here = strings.Split(dir, "/")
	}
	there := strings.Split(to, "/")
	for len(here) > 0 && len(there) > 1 && here[0] == there[0] {
		here, there = here[1:], there[1:]
	}
	return strings.Repeat("../", len(here)) + strings.Join(there, "/")
}

// findTarget returns the file or folder of a link, and the page that it shows.
// Websites leave the ending out.
func (a *auditor) findTarget(full string) (file string, shown *page, ok bool) {
	for _, file := range []string{full, full + ".md", full + ".mdx", strings.TrimSuffix(full, ".html") + ".md"} {
		if !a.tree.Has(file) {
			continue
		}
		for _, name := range []string{"", "README.md", "readme.md", "index.md"} {
			if try := path.Join(file, name); a.tree.isFile(try) && documentPattern().MatchString(try) {
				return file, a.readPage(try), true
			}
		}
		return file, nil, true
	}
	return "", nil, false
}

// knownAnchors matches fragments that need no heading: footnotes, lines, text, and
// pages of a website in the browser.
var knownAnchors = lazily(`^(top|readme|:~:.*|fn.*|L\d+.*|/.*)?$`)

// checkAnchor checks the fragment of a link to a page.
func (a *auditor) checkAnchor(p, target *page, l link, fragment string) {
	name := strings.TrimPrefix(unescape(fragment), "user-content-")
	if target.anchors[name] || knownAnchors().MatchString(name) {
		return
	}
	where := "this page"
	if target != p {
		where = target.path
	}
	message := fmt.Sprintf("%s has no heading #%s", where, name)
	at := l.offset + strings.IndexByte(l.dest, '#') + 1
	if now := similarAnchor(target, name); now != "" {
		a.reportFix(p, at, fragment, now, "anchor", Low, message+"; did you mean #"+now+"?")
		return
	}
	a.report(p, at, "anchor", Low, message)
}

var digitPattern = lazily(`-?\d+`)

// similarAnchor returns the one heading that a fragment is a misspelling of. Another
// number is another heading.
func similarAnchor(target *page, name string) string {
	var slugs []string
	for _, h := range target.headings {
		if digitPattern().ReplaceAllString(h.slug, "") != digitPattern().ReplaceAllString(name, "") {
			slugs = append(slugs, h.slug)
		}
	}
	near := text.Nearest(name, slugs)
	if len(name) <= 5 || text.Nearest(name, text.Without(slugs, []string{near})) != "" {
		return "" // too short to be sure, or two are as likely
	}
	return near
}

// checkLine checks that a file has the line of file#L10, file#L10-L20 or file:10.
func (a *auditor) checkLine(p *page, at int, rule, file, line string) {
	line, _, _ = strings.Cut(line, "-")
	code, ok := a.tree.readFile(file)
	if lines := strings.Count(code, "\n") + 1; ok && parseInt(line) > lines {
		a.report(p, at, rule, Low, fmt.Sprintf("%s has no line %s, it has %d", file, line, lines))
	}
}

// parseInt returns a number, 0 if it is none.
func parseInt(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// referencePattern matches [text][name], but no index of an array: the text is
// more than a word's end, and name is no number.
var referencePattern = lazily(`(?:^|[\s(*_"|])(\[[^\[\]\n\x60"']+\]\[([^\[\]\n\x60"'\d][^\[\]\n\x60"']+)\])`)

// checkReferences finds [text][name] where no definition has the name: readers see
// the brackets.
func (a *auditor) checkReferences(p *page) {
	for _, m := range referencePattern().FindAllStringSubmatchIndex(p.prose, -1) {
		if name := p.source[m[4]:m[5]]; !p.references[strings.ToLower(name)] {
			a.report(p, m[2], "link", Medium, fmt.Sprintf("no line defines the link [%s]", name))
		}
	}
}
