package initcmd

import (
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// account keeps book of a file that the user owns too, and returns what becomes
// of it. When all is undone and the file is unchanged since warp
// wrote it, it becomes what it was, byte for byte; else it is left as out, from
// which only what is ours was taken. Strip gives a text without what is ours.
func (p *plan) account(path string, text, out []byte, back bool, strip func([]byte) []byte) []byte {
	before, sure := p.before.Of(path, text)
	switch {
	case back && sure && before == nil:
		return nil
	case back && sure:
		return []byte(*before)
	case back || string(out) == string(text):
		return out
	}
	if !sure {
		if was := strip(text); was != nil && exists(filepath.Join(p.root, filepath.FromSlash(path))) {
			s := string(was)
			before = &s
		}
	}
	if before == nil || utf8.ValidString(*before) { // else the record could not spell it
		p.now.Know(path, before, out)
	}
	return out
}

// once notes something that is seen again when a change is made.
func (p *plan) once(note string) {
	if !slices.Contains(p.Notes, note) {
		p.Notes = append(p.Notes, note)
	}
}
