package learning

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// Most is how many lessons a book holds at least, and half of its lines at most. Every
// iteration reads it, so that it may not grow with them.
const Most = 500

// Book is the text of learnings.jsonl, read. Lines that are not changed stay as they
// are, also those that are no lessons.
type Book struct{ rows []row }

// row is a line of the file.
type row struct {
	*Learning // nil: it is none, such as one that a crash tore
	id        string
	line      []byte
	tells     bool // something that every agent should know
}

func newRow(l Learning, line []byte) row {
	failed := l.Type == Antipattern && Fold(l.Pattern) == Fold(l.Lesson) // one try of one task
	return row{&l, l.ID(), line, !failed && Fold(l.Lesson+l.Pattern) != ""}
}

// Line is a learning as learnings.jsonl holds it.
func (l Learning) Line() []byte {
	return append(lossless.AppendCompact(nil, lossless.Encode(l.Bounded(), nil)), '\n')
}

// Read reads learnings.jsonl.
func Read(text []byte) *Book {
	b := &Book{}
	for line := range bytes.Lines(text) {
		r := row{line: line}
		if v, err := lossless.Parse(line); err == nil {
			var l Learning
			if lossless.Decode(v, &l) == nil && l.Lesson+l.Pattern != "" {
				r = newRow(l, line)
			}
		}
		b.rows = append(b.rows, r)
	}
	return b
}

// Text is the file.
func (b *Book) Text() (text []byte) {
	for _, r := range b.rows {
		text = append(text, r.line...)
	}
	return text
}

// Bad is how many lines are no lessons.
func (b *Book) Bad() (n int) {
	for _, r := range b.rows {
		if r.Learning == nil && len(bytes.TrimSpace(r.line)) > 0 {
			n++
		}
	}
	return n
}

// fold has each lesson once, in the words in which it was said first, as often confirmed
// as it was said again, where it was said last; what is no lesson stays.
func fold(all []row) (rows []row) {
	at := map[string]int{}
	for _, r := range all {
		k, known := at[r.id]
		if r.Learning != nil && known {
			l := *rows[k].Learning
			l.confirm(*r.Learning)
			l.Confirmed += r.Confirmed
			r, rows[k] = newRow(l, nil), row{}
		}
		if r.Learning != nil {
			at[r.id] = len(rows)
		}
		rows = append(rows, r)
	}
	return slices.DeleteFunc(rows, func(r row) bool { return r.Learning == nil && r.line == nil })
}

// merged has each lesson once, the newest first.
func (b *Book) merged() []row {
	list := slices.DeleteFunc(fold(b.rows), func(r row) bool { return r.Learning == nil })
	slices.Reverse(list)
	return list
}

// Lessons lists each lesson once, the newest last.
func (b *Book) Lessons() (list []Learning) {
	for _, r := range slices.Backward(b.merged()) {
		list = append(list, *r.Learning)
	}
	return list
}

// Add adds lessons: the file is a log, in which a lesson that is said again has a line
// more, and is confirmed. The same iteration says the same once, whatever died in between.
// When the lines are twice as many as the lessons that it may hold, it is rewritten.
func (b *Book) Add(list []Learning) {
	if n := len(b.rows); n > 0 && !bytes.HasSuffix(b.rows[n-1].line, []byte("\n")) {
		b.rows[n-1].line = append(slices.Clip(b.rows[n-1].line), '\n') // what a crash tore
	}
	for _, l := range list {
		l = l.Bounded()
		if !b.has(l) {
			b.rows = append(b.rows, newRow(l, l.Line()))
		}
	}
	if len(b.rows) > 2*Most {
		b.condense()
	}
}

// has tells whether the same iteration has said a lesson before.
func (b *Book) has(l Learning) bool {
	id := l.ID()
	return slices.ContainsFunc(b.rows, func(r row) bool {
		if r.id != id || r.Learning == nil {
			return false
		}
		was := *r.Learning
		return !was.confirm(l)
	})
}

// condense writes each lesson once. Beyond Most, the oldest of those that were confirmed
// least are left out.
func (b *Book) condense() {
	b.rows = fold(b.rows)
	var all []int
	for i, r := range b.rows {
		if r.Learning == nil {
			continue
		}
		all = append(all, i)
		if r.line == nil {
			b.rows[i].line = r.Learning.Line()
		}
	}
	slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(b.rows[x].Confirmed, b.rows[y].Confirmed) })
	for _, i := range all[:max(0, len(all)-Most)] {
		b.rows[i] = row{}
	}
	b.rows = slices.DeleteFunc(b.rows, func(r row) bool { return r.line == nil })
}

// Remove takes out lessons, and tells how often they were said.
func (b *Book) Remove(forgotten func(id string) bool) (said int) {
	b.rows = slices.DeleteFunc(b.rows, func(r row) bool {
		gone := r.Learning != nil && forgotten(r.id)
		if gone {
			said += 1 + r.Confirmed
		}
		return gone
	})
	return said
}

// Match lists the ids that begin so.
func (b *Book) Match(id string) (ids []string) {
	id = strings.ToLower(strings.TrimSpace(id))
	for _, r := range b.rows {
		if r.Learning != nil && id != "" && strings.HasPrefix(r.id, id) && !slices.Contains(ids, r.id) {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// Best lists at most so many lessons that every agent of the project should know, each
// once: in turn one of the most often confirmed and one of the newest, so that neither
// keeps the other out. What only says that one try of one task failed is left out.
func (b *Book) Best(most int) (list []Learning) {
	newest := slices.DeleteFunc(b.merged(), func(r row) bool { return !r.tells })
	proved := slices.DeleteFunc(slices.Clone(newest), func(r row) bool { return r.Confirmed == 0 })
	slices.SortStableFunc(proved, func(x, y row) int { return cmp.Compare(y.Confirmed, x.Confirmed) })
	listed := map[string]bool{}
	for i := range newest {
		for _, from := range [][]row{proved, newest} {
			if i < len(from) && len(list) < most && !listed[from[i].id] {
				listed[from[i].id] = true
				list = append(list, *from[i].Learning)
			}
		}
	}
	return list
}
