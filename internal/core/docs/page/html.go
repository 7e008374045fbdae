package page

import "strings"

// code tells whether an offset stands in a fence or a code span.
func (p *Page) code(at int) bool {
	for _, f := range p.Fences {
		if at >= f.Offset && at < f.At(len(f.Text)) {
			return true
		}
	}
	for _, s := range p.Spans {
		if at >= s.Offset && at < s.Offset+len(s.Text) {
			return true
		}
	}
	return false
}

// definitions finds the targets of reference links: [name]: target.
func (r *reader) definitions() {
	for i, begins := range r.lines {
		line := r.Source[begins:]
		if i+1 < len(r.lines) {
			line = r.Source[begins : r.lines[i+1]-1]
		}
		rest := strings.TrimLeft(line, " ")
		if len(line)-len(rest) > 3 || !strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "[^") || r.code(begins) {
			continue
		}
		label, dest, ok := strings.Cut(rest, "]:")
		if !ok || strings.Contains(label, "]") {
			continue
		}
		if f := strings.Fields(dest); len(f) > 0 {
			r.link(strings.Trim(f[0], "<>"), begins+strings.Index(line, "]:"), false)
		}
	}
}

// html finds comments, and the anchors, links and images of HTML.
func (r *reader) html() {
	for at := 0; ; {
		i := strings.IndexByte(r.Source[at:], '<')
		if i < 0 {
			return
		}
		at += i
		rest := r.Source[at:]
		switch {
		case r.code(at):
			at++
		case strings.HasPrefix(rest, "<!--"):
			end := strings.Index(rest, "-->")
			if end < 4 {
				return
			}
			r.Comments = append(r.Comments, Comment{rest[4:end], at, at + end + 3})
			at += end + 3
		default:
			end := strings.IndexByte(rest, '>')
			if end < 0 {
				return
			}
			r.tag(rest[:end], at)
			at++
		}
	}
}

func (r *reader) tag(tag string, at int) {
	name := strings.ToLower(strings.TrimLeft(tag, "<"))
	for _, key := range []string{"id", "name", "href", "src"} {
		value, offset := attribute(tag, key)
		switch {
		case value == "":
		case key == "id", key == "name" && strings.HasPrefix(name, "a "):
			r.Ids[value] = true
		case key == "href" && strings.HasPrefix(name, "a "):
			r.Links = append(r.Links, Link{Dest: value, Offset: at + offset})
		case key == "src" && strings.HasPrefix(name, "img "):
			r.Links = append(r.Links, Link{Dest: value, Offset: at + offset, Image: true})
		}
	}
}

// attribute is the quoted value of an attribute of a tag, and where it begins.
func attribute(tag, key string) (value string, offset int) {
	for from := 0; ; {
		i := strings.Index(tag[from:], key+"=")
		if i < 0 {
			return "", 0
		}
		at := from + i + len(key) + 1
		from = at
		if before := tag[at-len(key)-2]; before != ' ' && before != '\n' && before != '\t' {
			continue
		}
		if at < len(tag) && (tag[at] == '"' || tag[at] == '\'') {
			if end := strings.IndexByte(tag[at+1:], tag[at]); end >= 0 {
				return tag[at+1 : at+1+end], at + 1
			}
		}
	}
}
