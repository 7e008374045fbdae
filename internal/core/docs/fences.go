package docs

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	yaml "github.com/goccy/go-yaml/parser"
	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/docs/page"
	"warp/internal/core/docs/shell"
	"warp/internal/core/text"
)

// fences checks that the code in fences parses, where its language is named.
func (a *auditor) fences(p *page.Page) {
	if p.Front != "" {
		if _, err := yaml.ParseBytes([]byte(p.Front), 0); err != nil {
			a.report(p, p.FrontAt, "fence", Medium, "the front matter is no YAML: "+cmp.Or(text.FirstLine(err.Error()), "it is broken"))
		}
	}
	for _, f := range p.Fences {
		if !f.Closed {
			a.report(p, f.Offset, "fence", Medium, "this code block is never closed: the rest of the page is shown as code")
			continue
		}
		if sketchy(f.Text) || strings.TrimSpace(f.Text) == "" {
			continue
		}
		check, ok := checks[f.Lang]
		if !ok {
			continue
		}
		if err := check(f.Text); err != nil && !strings.Contains(f.Text, "...") {
			severity := Medium
			if slices.Contains(shellLangs, f.Lang) {
				severity = High
			}
			a.report(p, f.At(place(f.Text, err)), "fence", severity, fmt.Sprintf("this %s does not parse: %s", f.Lang, cmp.Or(text.FirstLine(err.Error()), "it is broken")))
		}
	}
}

// place is where in a text an error says that it is.
func place(text string, err error) int {
	line := 0
	switch e := err.(type) {
	case *json.SyntaxError:
		return min(int(e.Offset), len(text)) - 1
	case syntax.ParseError:
		line = int(e.Line())
	case *xml.SyntaxError:
		line = e.Line
	case *toml.DecodeError:
		line, _ = e.Position()
	case *lineError:
		line = e.line
	}
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 || at+i+1 == len(text) {
			break
		}
		at += i + 1
	}
	return at
}

// lineError is an error of which only the line is known.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

// sketchy tells whether code leaves something out, so that it need not parse.
func sketchy(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "..." || strings.HasPrefix(line, "...") || strings.HasSuffix(line, "...") || strings.Contains(line, " ... ") {
			return true
		}
	}
	return strings.Contains(text, "…") || strings.Contains(text, "{{") || strings.Contains(text, "{%")
}

var checks = map[string]func(string) error{
	"json": checkJSON, "jsonc": checkJSON, "jsonl": checkJSON, "ndjson": checkJSON,
	"yaml": checkYAML, "yml": checkYAML, "toml": checkTOML, "go": checkGo, "golang": checkGo,
	"sh": checkShell, "bash": checkShell, "shell": checkShell,
	"xml": checkXML, "svg": checkXML, "html": checkHTML,
}

// checkJSON accepts values one after the other, the members of an object without
// its braces, and comments.
func checkJSON(text string) error {
	if placeholderValue(text) {
		return nil
	}
	text = uncomment(text)
	err := values(text)
	if err == nil {
		return nil
	}
	body := strings.TrimSpace(text)
	if strings.HasPrefix(body, `"`) && values("{"+strings.TrimSuffix(body, ",")+"}") == nil {
		return nil
	}
	return err
}

// placeholderValue tells whether a value is a placeholder: "port": <port>.
func placeholderValue(text string) bool {
	for line := range strings.Lines(text) {
		_, value, ok := strings.Cut(line, ":")
		if ok && strings.HasPrefix(strings.TrimSpace(value), "<") {
			return true
		}
	}
	return false
}

func values(text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var v any
		switch err := dec.Decode(&v); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// uncomment blanks // and /* */ comments outside of strings.
func uncomment(text string) string {
	out := []byte(text)
	quoted := false
	for i := 0; i < len(out); i++ {
		switch {
		case quoted && out[i] == '\\':
			i++
		case out[i] == '"':
			quoted = !quoted
		case quoted:
		case strings.HasPrefix(text[i:], "//"):
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				return text
			}
			for j := range end + 2 {
				out[i+j] = ' '
			}
		}
	}
	return string(out)
}

func checkYAML(text string) error {
	_, err := yaml.ParseBytes([]byte(text), 0)
	if err == nil {
		return nil
	}
	said, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	var line, column int
	if _, e := fmt.Sscanf(said, "[%d:%d]", &line, &column); e == nil {
		_, said, _ = strings.Cut(said, "] ")
	}
	return &lineError{line, said}
}

func checkTOML(text string) error {
	var v map[string]any
	return toml.Unmarshal([]byte(text), &v)
}

func checkShell(text string) error {
	if commands, found := shell.Prompts(text); found {
		text = commands
	}
	_, err := shell.Read(text)
	return err
}

func checkXML(text string) error { return readXML(text, true) }

func checkHTML(text string) error { return readXML(text, false) }

func readXML(text string, strict bool) error {
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict = strict
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	if !strict {
		if strings.Contains(text, "<script") || strings.Contains(text, "<style") {
			return nil
		}
		dec.AutoClose = xml.HTMLAutoClose
	}
	read := int64(0)
	for {
		switch _, err := dec.Token(); {
		case errors.Is(err, io.EOF), err != nil && !strict && read == int64(len(text)): // elements need not be closed
			return nil
		case err != nil:
			return err
		}
		read = dec.InputOffset()
	}
}
