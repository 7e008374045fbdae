package docscheck

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// page is a Markdown document, taken apart into what can disagree with the
// repository. All offsets are those of the source.
type page struct {
	path   string
	source string
	// prose is the source with code and front matter blanked, byte for byte.
	prose    string
	front    string // the front matter, without its fences
	headings []heading
	anchors  map[string]bool // of headings, and ids of HTML
	links    []link
	// references are the names that link definitions define, in lower case.
	references map[string]bool
	blocks     []*block
	spans      []span
	fences     []fence
	comments   []comment
}

type heading struct {
	level      int
	text, slug string
	offset     int
}

// link is the destination of a link, an image or a link definition.
type link struct {
	dest   string
	offset int
}

// block is a paragraph, a heading, the text of a list item or a table cell.
type block struct {
	start, end int
	// items counts the items of the list, or the rows of the table, right below.
	items int
	// inTable: column is the heading of the cell's column, in lower case.
	inTable bool
	column  string
}

// span is inline code.
type span struct {
	text   string
	offset int
	block  *block
}

// fence is a fenced code block.
type fence struct {
	lang, text  string
	offset, end int
	isClosed    bool
	lines       []int // where each line of the text begins in the source
}

// at returns the offset in the source of an offset in the fence's text.
func (f fence) at(offset int) int {
	before := f.text[:min(offset, len(f.text))]
	line := strings.Count(before, "\n")
	if line >= len(f.lines) {
		return f.end
	}
	return f.lines[line] + len(before) - strings.LastIndexByte(before, '\n') - 1
}

// comment is an HTML comment; its text is without the delimiters.
type comment struct {
	text       string
	start, end int
}

var markdown = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()
})

func parsePage(path, source string) *page {
	p := &page{path: path, source: source, anchors: map[string]bool{}, references: map[string]bool{}}
	prose := []byte(source)
	if end := strings.Index(source, "\n---\n"); strings.HasPrefix(source, "---\n") && end >= 0 {
		p.front = source[min(len("---\n"), end):end]
		blank(prose, 0, end+len("\n---"))
	}
	body := slices.Clone(prose)
	_ = ast.Walk(markdown().Parse(text.NewReader(body)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			p.addNode(n, prose)
		}
		return ast.WalkContinue, nil
	})
	p.readMarkup(prose)
	p.addAnchors()
	return p
}

// blank replaces text by spaces, so that offsets stay.
func blank(text []byte, start, end int) {
	for i := start; i < min(end, len(text)); i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

func (p *page) addNode(n ast.Node, prose []byte) {
	switch n := n.(type) {
	case *ast.Heading:
		b := p.addBlock(n)
		p.headings = append(p.headings, heading{level: n.Level, text: p.plainText(n), offset: b.start})
	case *ast.Paragraph, *ast.TextBlock:
		b := p.addBlock(n)
		switch next := n.NextSibling().(type) {
		case *ast.List:
			b.items = next.ChildCount()
		case *table.Table:
			b.items = next.ChildCount() - 1
		}
	case *table.TableCell:
		b := p.addBlock(n)
		b.inTable = true
		head := n.Parent().Parent().FirstChild().FirstChild()
		for c := n.PreviousSibling(); c != nil && head != nil; c = c.PreviousSibling() {
			head = head.NextSibling()
		}
		if head != nil {
			b.column = strings.ToLower(p.plainText(head))
		}
	case *ast.CodeSpan:
		first, _ := n.FirstChild().(*ast.Text)
		last, _ := n.LastChild().(*ast.Text)
		if first == nil || last == nil || len(p.blocks) == 0 {
			return
		}
		start, end := first.Segment.Start, last.Segment.Stop
		p.spans = append(p.spans, span{strings.ReplaceAll(p.source[start:end], "\n", " "), start, p.blocks[len(p.blocks)-1]})
		blank(prose, start, end)
	case *ast.CodeBlock:
		for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
			blank(prose, line.Start, line.Stop)
		}
	case *ast.FencedCodeBlock:
		p.addFence(n)
		f := p.fences[len(p.fences)-1]
		blank(prose, f.offset, f.end)
	}
}

func (p *page) addBlock(n ast.Node) *block {
	b := &block{start: max(0, n.Pos()), end: max(0, n.Pos())}
	if lines := n.Lines(); lines != nil && lines.Len() > 0 {
		b.start, b.end = lines.At(0).Start, lines.At(lines.Len()-1).Stop
	}
	p.blocks = append(p.blocks, b)
	return b
}

// plainText returns the text below a node without markup.
func (p *page) plainText(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			b.WriteString(p.source[t.Segment.Start:t.Segment.Stop])
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

func (p *page) addFence(n *ast.FencedCodeBlock) {
	lang := strings.Trim(strings.ToLower(string(n.Language([]byte(p.source)))), "{}.")
	f := fence{lang: lang, offset: max(0, n.Pos())}
	opening, _, _ := strings.Cut(p.source[f.offset:], "\n")
	f.end = min(f.offset+len(opening)+1, len(p.source))
	var b strings.Builder
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		f.lines = append(f.lines, line.Start)
		f.end = line.Stop
		b.Write(line.Value([]byte(p.source)))
	}
	f.text = b.String()
	closing, _, _ := strings.Cut(p.source[min(f.end, len(p.source)):], "\n")
	closing = strings.TrimLeft(closing, "> \t")
	f.isClosed = strings.HasPrefix(closing, "```") || strings.HasPrefix(closing, "~~~") || n.NextSibling() != nil || n.Parent().Kind() != ast.KindDocument
	p.fences = append(p.fences, f)
}

var (
	commentPattern = lazily(`(?s)<!--(.*?)-->`)
	anchorPattern  = lazily(`<[^<>]*\s(?:id|name)\s*=\s*["']([^"'<>]+)["']`)
	// definitionPattern matches [name]: target, but no footnote.
	definitionPattern = lazily(`(?m)^ {0,3}\[([^\]^][^\]\n]*)\]:[ \t]*<?([^\s>]+)`)
	// linkPatterns match the destinations of [text](target), with brackets in pairs, of
	// [text](<target>) and of HTML.
	linkPatterns = []func() *regexp.Regexp{
		lazily(`[^\\]\]\(\s*((?:[^\s()<>]|\([^\s()]*\))+)`),
		lazily(`[^\\]\]\(\s*<([^<>\n]+)>`),
		lazily(`<[^<>]*\s(?:href|src)\s*=\s*["']([^"'<>]+)["']`),
	}
)

// readMarkup finds comments, links and anchors in the prose.
func (p *page) readMarkup(prose []byte) {
	for _, m := range commentPattern().FindAllSubmatchIndex(prose, -1) {
		p.comments = append(p.comments, comment{p.source[m[2]:m[3]], m[0], m[1]})
		blank(prose, m[0], m[1])
	}
	p.prose = string(prose)
	for _, pattern := range linkPatterns {
		for _, m := range pattern().FindAllStringSubmatchIndex(p.prose, -1) {
			p.links = append(p.links, link{p.source[m[2]:m[3]], m[2]})
		}
	}
	for _, m := range definitionPattern().FindAllStringSubmatchIndex(p.prose, -1) {
		p.references[strings.ToLower(p.source[m[2]:m[3]])] = true
		p.links = append(p.links, link{p.source[m[4]:m[5]], m[4]})
	}
	for _, m := range anchorPattern().FindAllStringSubmatch(p.prose, -1) {
		p.anchors[m[1]] = true
	}
}

var ownAnchor = lazily(`^(.*?)\s*\{#(.+)\}$`)

// addAnchors gives each heading its anchor: the one that it names as {#name}, or
// that of GitHub, with a number where it is taken.
func (p *page) addAnchors() {
	used := map[string]int{}
	for i := range p.headings {
		h := &p.headings[i]
		if m := ownAnchor().FindStringSubmatch(h.text); m != nil {
			h.text, h.slug = m[1], m[2]
		} else {
			base := slugOf(h.text)
			h.slug = base
			for n, taken := used[base]; taken; _, taken = used[h.slug] {
				n++
				h.slug = base + "-" + strconv.Itoa(n)
				used[base] = n
			}
			used[h.slug] = max(used[h.slug], 0)
		}
		p.anchors[h.slug] = true
	}
}

// slugOf returns the anchor that GitHub makes of a heading.
func slugOf(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.M, r):
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(text)))
}

// position returns the line and the column, in characters from 1, of an offset.
func (p *page) position(offset int) (line, column int) {
	before := p.source[:offset]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
