package command

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

const maxBraces = 256

// braces expands {a,b} and {1..3} in a word; nil where that is too much.
func (r *reader) braces(w *syntax.Word) []*syntax.Word {
	split := *w // the tree stays as it was parsed
	syntax.SplitBraces(&split)
	out := r.spread(nil, &split)
	if len(out) > maxBraces {
		return nil
	}
	return out
}

func (r *reader) spread(out []*syntax.Word, w *syntax.Word) []*syntax.Word {
	r.enter()
	defer func() { r.depth-- }()
	for i, p := range w.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		for _, elem := range elements(b) {
			r.spend()
			if len(out) > maxBraces {
				return out
			}
			parts := make([]syntax.WordPart, 0, len(w.Parts)+len(elem))
			parts = append(append(append(parts, w.Parts[:i]...), elem...), w.Parts[i+1:]...)
			out = r.spread(out, &syntax.Word{Parts: parts})
		}
		return out
	}
	return append(out, w)
}

func elements(b *syntax.BraceExp) [][]syntax.WordPart {
	var out [][]syntax.WordPart
	if !b.Sequence {
		for _, e := range b.Elems {
			out = append(out, e.Parts)
		}
		return out
	}
	from, to, letters := bound(b.Elems[0]), bound(b.Elems[1]), false
	if from < 0 || to < 0 {
		from, to, letters = letter(b.Elems[0]), letter(b.Elems[1]), true
	}
	step := 1
	if from > to {
		step = -1
	}
	for n := from; len(out) <= maxBraces; n += step {
		text := strconv.Itoa(n)
		if letters {
			text = string(rune(n))
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: text}})
		if n == to {
			break
		}
	}
	return out
}

func bound(w *syntax.Word) int {
	n, err := strconv.Atoi(w.Lit())
	if err != nil {
		return -1
	}
	return n
}

func letter(w *syntax.Word) int {
	if s := w.Lit(); s != "" {
		return int(s[0])
	}
	return 0
}
