package lossless

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// maxDepth limits nesting, so that a hostile document cannot exhaust the stack.
const maxDepth = 500

// syntaxError is where a text stops being a JSON document.
type syntaxError struct {
	Line, Column int
	Msg          string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

func Parse(data []byte) (*Value, error) { return new(Parser).Parse(string(data)) }

// Parser reads documents one after another and allocates their values in common blocks: many small
// documents, such as journal rows, cost as little as a large one.
type Parser struct{ parser }

// Parse reads exactly one JSON document. The values share its text.
func (of *Parser) Parse(text string) (*Value, error) {
	if len(text) > math.MaxInt32 {
		return nil, &syntaxError{1, 1, "longer than 2 GiB"}
	}
	p := &of.parser
	p.src, p.pos, p.err, p.elems, p.mems = text, 0, nil, p.elems[:0], p.mems[:0]
	p.space()
	v := p.value(0)
	if p.err == nil {
		p.space()
		if p.pos < len(p.src) {
			p.fail("something follows the end of the document")
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return v, nil
}

type parser struct {
	src   string
	pos   int
	err   error
	size  int     // of the last block
	slab  []Value // values and members are allocated in blocks
	block []Member
	elems []*Value // stacks shared by all open arrays and objects
	mems  []Member
}

func (p *parser) fail(format string, args ...any) *Value {
	if p.err == nil {
		pos := min(p.pos, len(p.src))
		line := 1 + strings.Count(p.src[:pos], "\n")
		col := pos - strings.LastIndexByte(p.src[:pos], '\n')
		p.err = &syntaxError{line, col, fmt.Sprintf(format, args...)}
	}
	return nil
}

func (p *parser) space() {
	for p.pos < len(p.src) && isSpace(p.src[p.pos]) {
		p.pos++
	}
}

func (p *parser) make(k Kind, start int) *Value {
	if len(p.slab) == 0 {
		p.slab = make([]Value, p.blockSize())
	}
	v := &p.slab[0]
	p.slab = p.slab[1:]
	v.Kind, v.start, v.end = k, int32(start), int32(p.pos)
	return v
}

// blockSize returns about what a document needs (a journal row has eight values in 150 bytes), and
// more after several documents.
func (p *parser) blockSize() int {
	p.size = max(min(2*p.size, 64), min(4+len(p.src)/32, 512))
	return p.size
}

// keep copies the members of an object off the stack.
func (p *parser) keep(ms []Member) []Member {
	n := len(ms)
	if n == 0 {
		return nil
	}
	if len(p.block) < n {
		p.block = make([]Member, max(n, p.blockSize()))
	}
	kept := p.block[:n:n]
	p.block = p.block[n:]
	copy(kept, ms)
	return kept
}

func (p *parser) value(depth int) *Value {
	if p.pos >= len(p.src) {
		return p.fail("unexpected end of the document")
	}
	if depth > maxDepth {
		return p.fail("nested more than %d levels deep", maxDepth)
	}
	switch c := p.src[p.pos]; {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return p.scalar(String, p.str)
	case c == '-' || c >= '0' && c <= '9':
		return p.scalar(Number, p.number)
	case c == 't':
		return p.scalar(Bool, func() { p.word("true") })
	case c == 'f':
		return p.scalar(Bool, func() { p.word("false") })
	case c == 'n':
		return p.scalar(Null, func() { p.word("null") })
	case strings.HasPrefix(p.src[p.pos:], "\ufeff"):
		return p.fail("begins with a byte order mark")
	default:
		r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
		return p.fail("%q cannot begin a value", r)
	}
}

func (p *parser) scalar(k Kind, read func()) *Value {
	start := p.pos
	read()
	if p.err != nil {
		return nil
	}
	v := p.make(k, start)
	v.Raw = p.src[start:p.pos]
	return v
}

func (p *parser) word(w string) {
	if !strings.HasPrefix(p.src[p.pos:], w) {
		p.fail("expected %s", w)
		return
	}
	p.pos += len(w)
}

func (p *parser) array(depth int) *Value {
	start, base := p.pos, len(p.elems)
	p.pos++
	for first := true; p.more(']', first); first = false {
		e := p.value(depth + 1)
		if p.err != nil {
			return nil
		}
		p.elems = append(p.elems, e)
	}
	if p.err != nil {
		return nil
	}
	v := p.make(Array, start)
	v.Elems = append([]*Value(nil), p.elems[base:]...)
	p.elems = p.elems[:base]
	return v
}

func (p *parser) object(depth int) *Value {
	start, base := p.pos, len(p.mems)
	p.pos++
	for first := true; p.more('}', first); first = false {
		at := p.pos
		if !p.at('"') {
			return p.fail("expected a member name in quotes")
		}
		p.str()
		if p.err != nil {
			return nil
		}
		key := unquote(p.src[at:p.pos])
		p.space()
		if !p.at(':') {
			return p.fail("expected ':' after the member name %q", key)
		}
		p.pos++
		p.space()
		e := p.value(depth + 1)
		if p.err != nil {
			return nil
		}
		p.mems = append(p.mems, Member{key, e})
	}
	if p.err != nil {
		return nil
	}
	v := p.make(Object, start)
	v.Members = p.keep(p.mems[base:])
	p.mems = p.mems[:base]
	if key, dup := duplicate(v.Members); dup {
		return p.fail("the object that ends here has the member %q twice", key)
	}
	return v
}

// more moves to the next element of an array or object, or past its end.
func (p *parser) more(end byte, first bool) bool {
	p.space()
	if p.pos >= len(p.src) {
		p.fail("unexpected end of the document")
		return false
	}
	c := p.src[p.pos]
	if c == end {
		p.pos++
		return false
	}
	if first {
		return true
	}
	if c != ',' {
		p.fail("expected ',' or '%c'", end)
		return false
	}
	p.pos++
	p.space()
	if p.at(end) {
		p.fail("a ',' before '%c'", end)
		return false
	}
	return true
}

func duplicate(ms []Member) (string, bool) {
	if len(ms) <= 16 {
		for i := range ms {
			for j := range i {
				if ms[i].Key == ms[j].Key {
					return ms[i].Key, true
				}
			}
		}
		return "", false
	}
	seen := make(map[string]bool, len(ms))
	for i := range ms {
		if seen[ms[i].Key] {
			return ms[i].Key, true
		}
		seen[ms[i].Key] = true
	}
	return "", false
}
