package web

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/sys/git"
	"warp/internal/ui/feed"
	"warp/internal/ui/highlight"
)

// diffData is the page of one commit.
type diffData struct {
	Issue  string
	Commit evidence.Commit
	Files  []diffFile
	Cut    bool // the diff is longer than shown
}

func (d diffData) pageTitle() string {
	return text.ClipRunes(text.Hash(d.Commit.Hash)+" "+d.Commit.Subject, 120)
}

type diffFile struct {
	Name           string
	Added, Removed int
	Lines          []diffLine
}

type diffLine struct {
	Class, Sign string // "add" and "+", "del" and "-", "hunk", ""
	Old, New    string
	Code        template.HTML
	plain       string
}

// Limits of a shown diff: bytes, lines, and bytes per line.
const (
	maxDiff      = 2 << 20
	maxDiffLines = 5000
	maxDiffLine  = 1000
)

func diffPage(_ *Server, f *feed.Feed, r *http.Request) (any, error) {
	issue, hash := r.PathValue("issue"), r.PathValue("commit")
	i := slices.IndexFunc(f.Book.Commits, func(e evidence.Entry[evidence.Commit]) bool { return e.Row.Issue == issue && e.Row.Hash == hash })
	if i < 0 || !git.IsHash(hash) {
		return nil, &notFound{"issue " + issue + " has no such commit"}
	}
	d := diffData{Issue: issue, Commit: f.Book.Commits[i].Row}
	a, err := git.Repo{Dir: f.Root}.Run(r.Context(), git.Call{Args: []string{"show", "--format=", "--patch", "--no-color", "--no-ext-diff", "--no-textconv", "--end-of-options", hash}, Max: 64 << 20})
	if err != nil {
		return nil, fmt.Errorf("reading the commit: %w", err)
	}
	if a.Exit != 0 {
		return nil, errors.Join(&notFound{"the commit is no longer in this repository"}, errors.New(a.Stderr))
	}
	d.Files, d.Cut = parseDiff(string(a.Stdout[:min(len(a.Stdout), maxDiff)]))
	d.Cut = d.Cut || len(a.Stdout) > maxDiff
	for n := range d.Files {
		highlightFile(&d.Files[n])
	}
	return d, nil
}

// parseDiff parses the patch that git show prints.
func parseDiff(patch string) (files []diffFile, cut bool) {
	var from, to, shown int
	inHunk := false
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "diff --git "); ok {
			files, inHunk = append(files, diffFile{Name: diffName(name)}), false
			continue
		}
		if len(files) == 0 {
			continue
		}
		file := &files[len(files)-1]
		if shown++; shown > maxDiffLines {
			return files, true
		}
		if strings.HasPrefix(line, "@@ ") {
			inHunk = true
			from, to = hunkStart(line)
			file.Lines = append(file.Lines, diffLine{Class: "hunk", plain: line})
			continue
		}
		if !inHunk {
			file.header(line)
			continue
		}
		one := diffLine{plain: text.Clip(line[min(1, len(line)):], maxDiffLine)}
		switch {
		case strings.HasPrefix(line, "+"):
			one.Class, one.Sign, one.New = "add", "+", strconv.Itoa(to)
			file.Added++
			to++
		case strings.HasPrefix(line, "-"):
			one.Class, one.Sign, one.Old = "del", "-", strconv.Itoa(from)
			file.Removed++
			from++
		case strings.HasPrefix(line, "\\"):
			one.Class, one.plain = "hunk", line
		default:
			one.Old, one.New = strconv.Itoa(from), strconv.Itoa(to)
			from++
			to++
		}
		file.Lines = append(file.Lines, one)
	}
	return files, false
}

// header reads a line of the file's header, before its first hunk.
func (f *diffFile) header(line string) {
	if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
		f.Name = name
	}
	if strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "rename ") || strings.HasPrefix(line, "new file") || strings.HasPrefix(line, "deleted file") || strings.HasPrefix(line, "old mode") || strings.HasPrefix(line, "new mode") {
		f.Lines = append(f.Lines, diffLine{Class: "hunk", plain: line})
	}
}

// diffName returns the file name in "a/NAME b/NAME".
func diffName(both string) string {
	if n := len(both) / 2; n > 2 && len(both)%2 == 1 && both[n] == ' ' {
		return strings.TrimPrefix(both[n+1:], "b/")
	}
	return both
}

// hunkStart returns the first line numbers in "@@ -FROM,N +TO,N @@".
func hunkStart(line string) (from, to int) {
	words := strings.Fields(line)
	at := func(n int) int {
		if n >= len(words) {
			return 1
		}
		first, _, _ := strings.Cut(strings.TrimLeft(words[n], "+-"), ",")
		v, _ := strconv.Atoi(first) // 0 if malformed
		return v
	}
	return at(1), at(2)
}

// highlightFile highlights a file's lines by language, with classes rather than styles. It
// tokenizes each hunk alone because the lines between hunks are unknown.
func highlightFile(f *diffFile) {
	for from := 0; from < len(f.Lines); {
		var code []string
		to := from
		for ; to < len(f.Lines) && (to == from || f.Lines[to].Class != "hunk"); to++ {
			f.Lines[to].plain = text.VisibleLine(f.Lines[to].plain)
			if f.Lines[to].Class == "hunk" {
				code = append(code, "")
			} else {
				code = append(code, f.Lines[to].plain)
			}
		}
		tokens := highlight.Lines(f.Name, code)
		for n := range code {
			l := &f.Lines[from+n]
			if l.Class == "hunk" || tokens == nil {
				l.Code = template.HTML(template.HTMLEscapeString(l.plain))
			} else {
				l.Code = spans(tokens[n])
			}
		}
		from = to
	}
}

func spans(tokens []highlight.Token) template.HTML {
	var b strings.Builder
	for _, t := range tokens {
		if t.Class == "" {
			b.WriteString(template.HTMLEscapeString(t.Text))
		} else {
			b.WriteString(`<span class="` + t.Class + `">` + template.HTMLEscapeString(t.Text) + `</span>`)
		}
	}
	return template.HTML(b.String())
}
