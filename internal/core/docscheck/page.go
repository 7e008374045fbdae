package docscheck

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	markdown "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"warp/internal/core/lazy"
)

// page is a Markdown document, split into the parts that can disagree with the repository. All
// offsets are into the source.
type page struct {
	path   string
	source string
	// prose is the source with code and front matter blanked out, at the same offsets.
	prose    string
	headings []heading
	anchors  map[string]bool // of headings, and HTML ids
	links    []link
	// references are the names with a link definition, in lower case.
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

// block is a paragraph, a heading, the text of a list item, or a table.
type block struct {
	start, end int
	items      int // of the list, or rows of the table, directly below
}

type code struct {
	text  string
	lines []int // where each line begins in the source
}

// at converts an offset in the text to one in the source.
func (c code) at(offset int) int {
	before := c.text[:min(offset, len(c.text))]
	line := min(strings.Count(before, "\n"), len(c.lines)-1)
	return c.lines[line] + len(before) - strings.LastIndexByte(before, '\n') - 1
}

type span struct {
	code
	offset int
	block  *block
}

type fence struct {
	code
	lang        string
	offset, end int
	isClosed    bool
}

// comment is an HTML comment, without its delimiters.
type comment struct {
	text        string
	start, end  int
	first, last int // lines
}

// parser reads Markdown; tables are paragraphs to it. Goldmark's table reader is linked with others
// that cost every start a millisecond.
var parser = lazy.Value[markdown.Parser]{Make: func() markdown.Parser {
	return markdown.NewParser(markdown.WithBlockParsers(markdown.DefaultBlockParsers()...), markdown.WithInlineParsers(markdown.DefaultInlineParsers()...), markdown.WithParagraphTransformers(markdown.DefaultParagraphTransformers()...))
}}

func parsePage(file, source string) *page {
	p := &page{path: file, source: source, anchors: map[string]bool{}, references: map[string]bool{}}
	prose := []byte(source)
	if end := strings.Index(source, "\n---\n"); strings.HasPrefix(source, "---\n") && end >= 0 {
		blank(prose, 0, end+len("\n---"))
	}
	body := slices.Clone(prose)
	_ = ast.Walk(parser.Get().Parse(text.NewReader(body)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			p.addNode(n, prose)
		}
		return ast.WalkContinue, nil
	})
	p.addAnchors()
	p.readMarkup(prose)
	return p
}

// blank replaces text by spaces, which keeps offsets.
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
		p.addBlock(n).items = p.countItems(n.NextSibling())
	case *ast.CodeSpan:
		first, _ := n.FirstChild().(*ast.Text)
		last, _ := n.LastChild().(*ast.Text)
		if first == nil || last == nil {
			return
		}
		start, end := first.Segment.Start, last.Segment.Stop
		inLine := code{strings.ReplaceAll(p.source[start:end], "\n", " "), []int{start}}
		p.spans = append(p.spans, span{inLine, start, p.blocks[len(p.blocks)-1]})
		blank(prose, start, end)
	case *ast.CodeBlock:
		for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
			blank(prose, line.Start, line.Stop)
		}
	case *ast.FencedCodeBlock:
		f := p.addFence(n)
		blank(prose, f.offset, f.end)
	}
}

// addBlock adds a block of lines; one without lines is a single position.
func (p *page) addBlock(n ast.Node) *block {
	b := &block{start: max(0, n.Pos()), end: max(0, n.Pos())}
	if lines := n.Lines(); lines.Len() > 0 {
		b.start, b.end = lines.At(0).Start, lines.At(lines.Len()-1).Stop
	}
	p.blocks = append(p.blocks, b)
	return b
}

// tablePattern matches a table's header row and the line below it.
var tablePattern = lazy.Pattern{Text: `^(.*\|.*)\n\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?)?\s*(\n|$)`}

func (p *page) countItems(n ast.Node) int {
	switch n := n.(type) {
	case *ast.List:
		return n.ChildCount()
	case *ast.Paragraph:
		if lines := n.Lines(); lines.Len() > 1 && tablePattern.Get().MatchString(p.source[lines.At(0).Start:]) {
			return lines.Len() - 2 // without the header and the line below it
		}
	}
	return 0
}

// columnOf returns the lower-case heading of the span's column; "" if it is not in a table.
func (p *page) columnOf(s span) string {
	head := tablePattern.Get().FindStringSubmatch(p.source[s.block.start:s.block.end])
	if head == nil {
		return ""
	}
	row := p.prose[s.block.start:s.offset]
	column := strings.Count(row[strings.LastIndexByte(row, '\n')+1:], "|")
	cells := strings.Split(head[1], "|")
	return strings.ToLower(strings.Trim(cells[min(column, len(cells)-1)], " *_`"))
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

func (p *page) addFence(n *ast.FencedCodeBlock) fence {
	source := []byte(p.source)
	f := fence{lang: strings.Trim(strings.ToLower(string(n.Language(source))), "{}."), offset: max(0, n.Pos())}
	opening, _, _ := strings.Cut(p.source[f.offset:], "\n")
	f.end = min(f.offset+len(opening)+1, len(p.source))
	f.text = string(n.Lines().Value(source))
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		f.lines = append(f.lines, line.Start)
		f.end = line.Stop
	}
	closing := strings.TrimLeft(p.source[f.end:], "> \t")
	f.isClosed = strings.HasPrefix(closing, "```") || strings.HasPrefix(closing, "~~~") || n.NextSibling() != nil || n.Parent().Kind() != ast.KindDocument
	p.fences = append(p.fences, f)
	return f
}

var (
	commentPattern = lazy.Pattern{Text: `(?s)<!--(.*?)-->`}
	anchorPattern  = lazy.Pattern{Text: `<[^<>]*\s(?:id|name)\s*=\s*["']([^"'<>]+)["']`}
	// definitionPattern matches [name]: target, but not footnotes.
	definitionPattern = lazy.Pattern{Text: `(?m)^ {0,3}\[([^\]^][^\]\n]*)\]:[ \t]*<?([^\s>]+)`}
	// linkPatterns match the destinations of [text](target), with balanced parentheses, of
	// [text](<target>) and of HTML.
	linkPatterns = []*lazy.Pattern{
		{Text: `[^\\]\]\(\s*((?:[^\s()<>]|\([^\s()]*\))+)`},
		{Text: `[^\\]\]\(\s*<([^<>\n]+)>`},
		{Text: `<[^<>]*\s(?:href|src)\s*=\s*["']([^"'<>]+)["']`},
	}
)

// readMarkup finds comments, links and anchors in the prose.
func (p *page) readMarkup(prose []byte) {
	for _, m := range commentPattern.Get().FindAllSubmatchIndex(prose, -1) {
		first, _ := p.position(m[0])
		p.comments = append(p.comments, comment{p.source[m[2]:m[3]], m[0], m[1], first, first + strings.Count(p.source[m[0]:m[1]], "\n")})
		blank(prose, m[0], m[1])
	}
	p.prose = string(prose)
	for _, pattern := range linkPatterns {
		for _, m := range pattern.Get().FindAllStringSubmatchIndex(p.prose, -1) {
			p.links = append(p.links, link{p.source[m[2]:m[3]], m[2]})
		}
	}
	for _, m := range definitionPattern.Get().FindAllStringSubmatchIndex(p.prose, -1) {
		p.references[strings.ToLower(p.source[m[2]:m[3]])] = true
		p.links = append(p.links, link{p.source[m[4]:m[5]], m[4]})
	}
	for _, m := range anchorPattern.Get().FindAllStringSubmatch(p.prose, -1) {
		p.anchors[m[1]] = true
	}
}

var (
	ownAnchor   = lazy.Pattern{Text: `^(.*?)\s*\{#(.+)\}$`}
	noneOfSlugs = lazy.Pattern{Text: `[^ _\pL\pN\pM-]`}
)

// addAnchors gives each heading its anchor: the one named as {#name}, or GitHub's, numbered if
// taken.
func (p *page) addAnchors() {
	repeats := map[string]int{}
	for i := range p.headings {
		h := &p.headings[i]
		if m := ownAnchor.Get().FindStringSubmatch(h.text); m != nil {
			h.text, h.slug = m[1], m[2]
		} else {
			base := slugOf(h.text)
			for h.slug = base; p.anchors[h.slug]; {
				repeats[base]++
				h.slug = base + "-" + strconv.Itoa(repeats[base])
			}
		}
		p.anchors[h.slug] = true
	}
}

// slugOf returns the anchor that GitHub derives from a heading.
func slugOf(text string) string {
	return strings.ReplaceAll(noneOfSlugs.Get().ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), ""), " ", "-")
}

// folders returns the page's folder and its parents; the root is "".
func (p *page) folders() (dirs []string) {
	for dir := p.path; dir != ""; dirs = append(dirs, dir) {
		dir = cleanPath(path.Dir(dir))
	}
	return dirs
}

// position returns the line and column, in characters from 1, of an offset.
func (p *page) position(offset int) (line, column int) {
	before := p.source[:offset]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
