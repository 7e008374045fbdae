package learning

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// Most is how many lessons a book keeps; it is condensed at twice as many lines, or when many of
// them repeat others. Every iteration reads, copies and writes it, so it must not grow with them.
const (
	Most         = 500
	mostRepeated = 50
)

// Book is the parsed text of learnings.jsonl. Unchanged lines stay as they are, including those
// that are not lessons.
type Book struct{ rows []row }

// row is a line of the file.
type row struct {
	*Learning        // nil if it is no lesson, such as one that a crash tore
	id, by    string // by: the iteration that recorded it
	line      []byte
	tells     bool // every agent should know it
}

func newRow(l Learning, line []byte) row {
	failed := l.Type == Antipattern && Fold(l.Pattern) == Fold(l.Lesson) // one try of one task
	return row{&l, l.ID(), l.sayer(), line, !failed && Fold(l.Lesson+l.Pattern) != ""}
}

// Line returns a learning as a line of learnings.jsonl.
func (l Learning) Line() []byte {
	return append(lossless.AppendCompact(nil, lossless.Encode(l.Bounded(), nil)), '\n')
}

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

// Text returns the file's text.
func (b *Book) Text() (text []byte) {
	for _, r := range b.rows {
		text = append(text, r.line...)
	}
	return text
}

// Bad counts the lines that are not lessons.
func (b *Book) Bad() (n int) {
	for _, r := range b.rows {
		if r.Learning == nil && len(bytes.TrimSpace(r.line)) > 0 {
			n++
		}
	}
	return n
}

// fold keeps each lesson once, in its first wording and its last position, confirmed as often as it
// was repeated. Lines that are not lessons stay.
func fold(all []row) (rows []row) {
	at := map[string]int{}
	for _, r := range all {
		k, known := at[r.id]
		if r.Learning != nil && known {
			l, first := *rows[k].Learning, rows[k]
			l.confirm(*r.Learning, first.by, r.by)
			l.Confirmed += r.Confirmed
			r, rows[k] = row{&l, first.id, first.by, nil, first.tells}, row{}
		}
		if r.Learning != nil {
			at[r.id] = len(rows)
		}
		rows = append(rows, r)
	}
	return slices.DeleteFunc(rows, func(r row) bool { return r.Learning == nil && r.line == nil })
}

// merged returns each lesson once, newest first.
func (b *Book) merged() []row {
	list := slices.DeleteFunc(fold(b.rows), func(r row) bool { return r.Learning == nil })
	slices.Reverse(list)
	return list
}

// Lessons lists each lesson once, newest last.
func (b *Book) Lessons() (list []Learning) {
	for _, r := range slices.Backward(b.merged()) {
		list = append(list, *r.Learning)
	}
	return list
}

// Add appends lessons: the file is a log, in which a repeated lesson gets another line, which
// confirms it. One iteration's repetitions count once, whatever crashed in between. When there are
// twice as many lines as lessons to keep, it is rewritten.
func (b *Book) Add(list []Learning) {
	if n := len(b.rows); n > 0 && !bytes.HasSuffix(b.rows[n-1].line, []byte("\n")) {
		b.rows[n-1].line = append(slices.Clip(b.rows[n-1].line), '\n') // torn by a crash
	}
	for _, l := range list {
		l = l.Bounded()
		if !b.has(l) {
			b.rows = append(b.rows, newRow(l, l.Line()))
		}
	}
	if len(b.rows) > 2*Most || b.countRepeated() > mostRepeated {
		b.condense()
	}
}

// countRepeated counts the lines of lessons that another line has, too.
func (b *Book) countRepeated() (n int) {
	seen := map[string]bool{}
	for _, r := range b.rows {
		if r.Learning != nil && seen[r.id] {
			n++
		}
		seen[r.id] = true
	}
	return n
}

// has reports whether the same iteration recorded a lesson before.
func (b *Book) has(l Learning) bool {
	id, by := l.ID(), l.sayer()
	return slices.ContainsFunc(b.rows, func(r row) bool {
		return r.id == id && r.Learning != nil && r.counted(r.by, by)
	})
}

// condense writes each lesson once. Beyond Most, it drops the oldest of the least confirmed.
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

// Remove removes lessons, and returns how often they were recorded.
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

// Match lists the ids with that prefix.
func (b *Book) Match(id string) (ids []string) {
	id = strings.ToLower(strings.TrimSpace(id))
	for _, r := range b.rows {
		if r.Learning != nil && id != "" && strings.HasPrefix(r.id, id) && !slices.Contains(ids, r.id) {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// Best lists up to most lessons that every agent of the project should know, once each: alternating
// between the most confirmed and the newest, so that neither crowds out the other. It omits lessons
// that only say that one try of one task failed.
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
