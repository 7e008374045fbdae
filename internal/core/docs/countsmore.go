package docs

import (
	"strings"

	"warp/internal/core/docs/page"
)

// countRow checks a row such as | Commands | 12 |, where the column says that
// it counts.
func (a *auditor) countRow(p *page.Page, t page.Prose) {
	n, digits, ok := parseNumber(strings.TrimSpace(t.Text))
	if !ok || !digits || len(t.Row) < 2 {
		return
	}
	switch strings.ToLower(strings.Trim(t.Column, " .:")) {
	case "count", "number", "total", "#", "how many", "amount", "quantity", "files", "no":
	default:
		return
	}
	at := len(t.Text) - len(strings.TrimLeft(t.Text, " "))
	what := strings.TrimSpace(t.Row[0])
	s := stated{n: n, word: strings.TrimSpace(t.Text), noun: strings.ToLower(what), digits: true}
	if dir, ok := a.folderNamed(what, "files"); ok {
		s.noun = "files"
		a.compare(p, t.At(at), s, a.inFolder(dir), dir+"/")
		return
	}
	words := textWords(what)
	if len(words) == 0 || len(words) > 3 {
		return
	}
	for _, w := range words[:len(words)-1] {
		if !adjectives[strings.ToLower(w.text)] {
			return
		}
		s.kind = append(s.kind, strings.ToLower(w.text))
	}
	s.noun = strings.ToLower(words[len(words)-1].text)
	a.compareAll(p, t.At(at), s, what)
}

// countTree checks the comments of a drawn tree: commands/  # 12 commands.
func (a *auditor) countTree(p *page.Page, f page.Fence) {
	at := 0
	for line := range strings.Lines(f.Text) {
		begins := at
		at += len(line)
		entry, comment, ok := cutComment(line)
		if !ok {
			continue
		}
		dir := strings.Trim(entry, " \t│├└─|`+-\u00a0")
		if !strings.HasSuffix(dir, "/") || strings.ContainsAny(dir, " *<{") {
			continue
		}
		dir = strings.TrimSuffix(dir, "/")
		if !a.tree.IsDir(dir) {
			dirs := a.folders(dir[strings.LastIndexByte(dir, '/')+1:])
			if len(dirs) != 1 {
				continue
			}
			dir = dirs[0]
		}
		list := statements(comment)
		if len(list) != 1 || units[list[0].noun] || len(list[0].before) > 2 {
			continue
		}
		s := list[0]
		a.compare(p, f.At(begins+len(line)-len(comment)+s.at), s, a.inFolder(dir), dir+"/")
	}
}

func cutComment(line string) (entry, comment string, ok bool) {
	for _, sign := range []string{"#", "//", "←", "—", " - ", "("} {
		if i := strings.Index(line, sign); i > 0 {
			return line[:i], line[i+len(sign):], true
		}
	}
	return "", "", false
}

// badges checks badges that count: img.shields.io/badge/commands-12-blue.
func (a *auditor) badges(p *page.Page) {
	for _, l := range p.Links {
		_, badge, ok := strings.Cut(l.Dest, "img.shields.io/badge/")
		parts := strings.Split(badge, "-")
		if !ok || len(parts) != 3 {
			continue
		}
		n, digits, ok := parseNumber(parts[1])
		if !ok || !digits {
			continue
		}
		s := stated{n: n, word: parts[1], noun: strings.ToLower(parts[0]), digits: true}
		at := l.Offset + len(l.Dest) - len(badge) + len(parts[0]) + 1
		a.compareAll(p, at, s, parts[0])
	}
}
