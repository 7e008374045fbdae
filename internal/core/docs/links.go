package docs

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/docs/page"
	"warp/internal/core/docs/program"
)

// links checks where links and images lead, within the repository.
func (a *auditor) links(p *page.Page) {
	if strings.HasPrefix(p.Path, ".github/") && strings.Contains(strings.ToUpper(p.Path), "_TEMPLATE") {
		return // it is shown as an issue or a pull request
	}
	for _, l := range p.Links {
		dest, fragment, _ := strings.Cut(l.Dest, "#")
		dest, _, _ = strings.Cut(dest, "?")
		switch {
		case outside(l.Dest) || strings.ContainsAny(l.Dest, "{}<>$"):
		case dest == "":
			a.anchor(p, p, l, 0, fragment)
		default:
			a.target(p, l, dest, fragment)
		}
	}
}

// outside tells whether a link leads out of the repository.
func outside(dest string) bool {
	scheme, _, ok := strings.Cut(dest, ":")
	return strings.HasPrefix(dest, "//") || strings.HasPrefix(dest, "\\") || ok && !strings.ContainsAny(scheme, "/#?.") || strings.HasPrefix(dest, "@") || strings.HasPrefix(dest, "~")
}

func (a *auditor) target(p *page.Page, l page.Link, dest, fragment string) {
	name, err := url.PathUnescape(dest)
	if err != nil {
		name = dest
	}
	full, inside := resolve(p.Path, name)
	if !inside {
		return // such as ../../issues, which GitHub knows
	}
	if file, ok := a.follow(full); ok {
		if q := a.document(file); q != nil && fragment != "" {
			a.anchor(p, q, l, len(dest), fragment)
		} else if q == nil && fragment != "" {
			a.lineAnchor(p, l, file, fragment)
		}
		return
	}
	if strings.HasPrefix(name, "/") && a.site(p.Path) || a.tree.Made(full) {
		return
	}
	rule, what := "link", "link"
	if l.Image {
		rule, what = "image", "image"
	}
	if at, ok := a.tree.Successor(full); ok && !(a.site(p.Path) && path.Ext(name) == "") {
		now := relative(p.Path, at, strings.HasPrefix(dest, "/"), strings.HasPrefix(dest, "./"))
		a.mend(p, l.Offset, dest, now, rule, Medium, fmt.Sprintf("%s leads to %s, which is not there; it is %s now", what, full, at))
		return
	}
	if a.site(p.Path) && path.Ext(name) == "" {
		return // a page of the website, by its address
	}
	a.report(p, l.Offset, rule, Medium, fmt.Sprintf("%s leads to %s, which is not there", what, full))
}

// resolve is the path in the repository that a link of a page leads to.
func resolve(from, dest string) (full string, inside bool) {
	if strings.HasPrefix(dest, "/") {
		full = path.Clean(dest)[1:]
	} else {
		full = path.Join(path.Dir(from), dest)
	}
	return full, full != ".." && !strings.HasPrefix(full, "../")
}

// relative is how a page names a path.
func relative(from, to string, rooted, dotted bool) string {
	if rooted {
		return "/" + to
	}
	here := strings.Split(path.Dir(from), "/")
	if here[0] == "." {
		here = nil
	}
	there := strings.Split(to, "/")
	for len(here) > 0 && len(there) > 1 && here[0] == there[0] {
		here, there = here[1:], there[1:]
	}
	rel := strings.Repeat("../", len(here)) + strings.Join(there, "/")
	if dotted && len(here) == 0 {
		rel = "./" + rel
	}
	return strings.ReplaceAll(rel, " ", "%20")
}

// follow finds what a path stands for; websites leave the ending out.
func (a *auditor) follow(full string) (string, bool) {
	for _, try := range []string{full, full + ".md", full + ".mdx", full + "/index.md", full + "/README.md", strings.TrimSuffix(full, ".html") + ".md"} {
		if a.tree.Has(try) && (try == full || a.tree.IsFile(try)) {
			return try, true
		}
	}
	return full, false
}

// document is the page at a path, or the one that a folder is shown with.
func (a *auditor) document(file string) *page.Page {
	if a.tree.IsDir(file) {
		for _, name := range []string{"README.md", "readme.md", "index.md"} {
			if try := path.Join(file, name); a.tree.IsFile(try) {
				return a.page(try)
			}
		}
		return nil
	}
	if ext := path.Ext(file); ext != ".md" && ext != ".mdx" && ext != ".markdown" {
		return nil
	}
	return a.page(file)
}

// anchor checks a fragment of a page. It stands in the link behind skip bytes.
func (a *auditor) anchor(p, in *page.Page, l page.Link, skip int, fragment string) {
	name, err := url.PathUnescape(fragment)
	if err != nil {
		name = fragment
	}
	name = strings.TrimPrefix(name, "user-content-")
	switch {
	case name == "" || name == "top" || name == "readme" || strings.HasPrefix(name, ":~:") || in.HasAnchor(name):
		return
	case strings.HasPrefix(name, "fn") || strings.HasPrefix(name, "L") && number(name[1:]) > 0:
		return // a footnote, a line
	case strings.HasPrefix(name, "/"):
		return // a page of a website in the browser
	}
	where := "this page"
	if in != p {
		where = in.Path
	}
	message := fmt.Sprintf("there is no heading #%s in %s", name, where)
	at := l.Offset + skip + strings.IndexByte(l.Dest[skip:], '#') + 1
	if now := meantAnchor(in, name); now != "" {
		a.mend(p, at, fragment, now, "anchor", Low, message+"; #"+now+" is probably meant")
		return
	}
	a.report(p, at, "anchor", Low, message)
}

// meantAnchor is the one heading that a fragment can be meant for.
func meantAnchor(in *page.Page, name string) string {
	bare := func(s string) string { return strings.ReplaceAll(strings.ToLower(page.Slug(s)), "-", "") }
	var slugs, same, longer []string
	for _, h := range in.Headings {
		slugs = append(slugs, h.Slug)
		if bare(h.Slug) == bare(name) {
			same = append(same, h.Slug)
		}
		if words := strings.Split(name, "-"); len(words) > 1 && containsWords(strings.Split(h.Slug, "-"), words) {
			longer = append(longer, h.Slug)
		}
	}
	switch {
	case len(same) == 1:
		return same[0]
	case len(same) > 1 || len(name) < 5:
		return ""
	}
	if near := program.Near(name, slugs); near != "" && len(name) > 5 && undigited(near) != undigited(name) {
		return near
	}
	if len(longer) == 1 {
		return longer[0]
	}
	return ""
}

// undigited is a name without its digits: another number is another thing.
func undigited(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// containsWords tells whether all words are there.
func containsWords(all, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(all, w) })
}

// lineAnchor checks #L10 and #L10-L20 of a source file.
func (a *auditor) lineAnchor(p *page.Page, l page.Link, file, fragment string) {
	text, ok := a.tree.Read(file)
	first, _, _ := strings.Cut(fragment, "-")
	n := number(strings.TrimPrefix(first, "L"))
	if !ok || !strings.HasPrefix(first, "L") || n == 0 || a.tree.IsDir(file) {
		return
	}
	if lines := strings.Count(text, "\n") + 1; n > lines {
		a.report(p, l.Offset, "anchor", Low, fmt.Sprintf("%s has no line %d, it has %d", file, n, lines))
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// references finds [text][name] where nothing defines the name: it is shown as
// it is written.
func (a *auditor) references(p *page.Page) {
	for _, t := range p.Prose {
		for from := 0; ; {
			i := strings.Index(t.Text[from:], "][")
			if i < 0 {
				break
			}
			at := from + i
			from = at + 2
			end := strings.IndexByte(t.Text[from:], ']')
			open := strings.LastIndexByte(t.Text[:at], '[')
			if end <= 0 || open < 0 || open > 0 && !strings.ContainsRune(" (*_\"", rune(t.Text[open-1])) {
				continue
			}
			name := t.Text[from : from+end]
			if inCode(t.Text, at) || strings.ContainsAny(name, "[`\"'") || number(name) > 0 || len(name) < 2 || strings.ContainsAny(t.Text[open:at], "`\"'") || t.Text[open+1:at] == name {
				continue
			}
			a.report(p, t.At(open), "link", Medium, fmt.Sprintf("nothing defines the link [%s]", name))
		}
	}
}

// inCode tells whether an offset of prose is between backticks.
func inCode(text string, at int) bool { return strings.Count(text[:at], "`")%2 == 1 }
