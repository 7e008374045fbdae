package local

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/issuefile"
	short "warp/internal/core/text"
)

// header is the front matter of a file: its lines verbatim, unknown ones included, and the parsed
// fields.
type header struct {
	lines  []string // including the rules around them and line ends
	fields map[string]field
	end    string // the file's line end
}

type field struct {
	value string
	items []string // items of a list below it
	from  int      // its line, from 0
	to    int      // the line after it
}

func (h *header) text() string { return strings.Join(h.lines, "") }

// lineEnd returns the end of new lines.
func (h *header) lineEnd() string {
	if h.end == "" {
		return "\n"
	}
	return h.end
}

func parseHeader(front string) (header, error) {
	h := header{lines: slices.Collect(strings.Lines(front))}
	if len(h.lines) == 0 {
		return h, nil
	}
	return h, h.read()
}

func (h *header) read() error {
	h.fields = map[string]field{}
	last := ""
	for n, line := range h.lines[1 : len(h.lines)-1] {
		n++
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if item, ok := strings.CutPrefix(trimmed+" ", "- "); ok && last != "" && h.fields[last].value == "" {
			v, err := unquote(strings.TrimSpace(item))
			if err != nil {
				return fmt.Errorf("line %d: %w", n+1, err)
			}
			f := h.fields[last]
			f.items, f.to = append(f.items, v), n+1
			h.fields[last] = f
			continue
		}
		key, value, ok := strings.Cut(trimmed, ":")
		key = strings.ToLower(strings.TrimSpace(key))
		if !ok || key == "" {
			return fmt.Errorf("line %d: %q is not of the form name: value", n+1, trimmed)
		}
		if f, twice := h.fields[key]; twice {
			return fmt.Errorf("line %d: %s appears twice, first on line %d", n+1, key, f.from+1)
		}
		h.fields[key] = field{value: strings.TrimSpace(value), from: n, to: n + 1}
		last = key
	}
	return nil
}

// get returns a field's value without quotes.
func (h *header) get(key string) (string, error) {
	f := h.fields[key]
	v, err := unquote(f.value)
	if err != nil {
		return "", fmt.Errorf("line %d: %s: %w", f.from+1, key, err)
	}
	return v, nil
}

// list returns a field's value as a list: a, "b", or [a, b], or lines with "- a".
func (h *header) list(key string) ([]string, error) {
	f := h.fields[key]
	if f.value == "" {
		return f.items, nil
	}
	value := f.value
	if inner, ok := strings.CutPrefix(value, "["); ok {
		if value, ok = strings.CutSuffix(inner, "]"); !ok {
			return nil, fmt.Errorf("line %d: %s: the list that begins with [ is not ended by ]", f.from+1, key)
		}
	}
	var out []string
	for value = strings.TrimSpace(value); value != ""; {
		item, rest := value, ""
		if end := quoted(value); end > 0 {
			item, rest = value[:end], strings.TrimSpace(value[end:])
			if rest != "" && rest[0] != ',' {
				return nil, fmt.Errorf("line %d: %s: a comma is missing after %s", f.from+1, key, item)
			}
			rest = strings.TrimPrefix(rest, ",")
		} else {
			item, rest, _ = strings.Cut(value, ",")
		}
		v, err := unquote(strings.TrimSpace(item))
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", f.from+1, key, err)
		}
		if v != "" {
			out = append(out, v)
		}
		value = strings.TrimSpace(rest)
	}
	return out, nil
}

// getTime returns a field's value as a time; zero if it is empty.
func (h *header) getTime(key string) (time.Time, error) {
	v, err := h.get(key)
	if v == "" || err != nil {
		return time.Time{}, err
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02"} {
		if at, err := time.Parse(layout, v); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("line %d: %s is %q, which is not a time such as 2026-01-02T03:04:05Z", h.fields[key].from+1, key, v)
}

// open adds an empty header if there is none.
func (h *header) open() {
	if len(h.lines) == 0 {
		h.lines = []string{issuefile.Rule + h.lineEnd(), issuefile.Rule + h.lineEnd()}
		h.fields = map[string]field{}
	}
}

// set changes one field and no other line.
func (h *header) set(key, value string) {
	h.open()
	line := strings.TrimRight(key+": "+value, " ") + short.LineEnd(h.lines[0])
	f, ok := h.fields[key]
	if !ok {
		f.from, f.to = len(h.lines)-1, len(h.lines)-1
	}
	h.lines = slices.Concat(h.lines[:f.from], []string{line}, h.lines[f.to:])
	_ = h.read() // the old lines were valid, and so is the new one
}

// quote writes a value so that it reads back unchanged.
func quote(v string, inList bool) string {
	plain := v != "" && v == strings.TrimSpace(v) && !strings.ContainsAny(v[:1], "\"'[#-&*!|>%@`{") &&
		strings.IndexFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0xfffd }) < 0
	if inList {
		plain = plain && !strings.ContainsAny(v, ",[]\"'")
	}
	if plain {
		return v
	}
	text, _ := json.Marshal(v) // a string can always be encoded
	return string(text)
}

func unquote(v string) (string, error) {
	end := quoted(v)
	switch {
	case v == "" || v[0] != '"' && v[0] != '\'':
		return v, nil
	case end != len(v):
		return "", fmt.Errorf("%s: the quotation marks do not match", v)
	case v[0] == '\'':
		return strings.ReplaceAll(v[1:len(v)-1], "''", "'"), nil
	}
	var out string
	if err := json.Unmarshal([]byte(v), &out); err != nil {
		return "", fmt.Errorf("%s: it is not a quoted text: %w", v, err)
	}
	return out, nil
}

// quoted returns the length of the quoted text at the start of a value; 0 if there is none.
func quoted(v string) int {
	if v == "" || v[0] != '"' && v[0] != '\'' {
		return 0
	}
	for i := 1; i < len(v); i++ {
		switch {
		case v[i] == '\\' && v[0] == '"':
			i++
		case v[i] == '\'' && v[0] == '\'' && i+1 < len(v) && v[i+1] == '\'':
			i++
		case v[i] == v[0]:
			return i + 1
		}
	}
	return 0
}
