package lossless

import (
	"fmt"
	"strings"
)

// Set returns the text with one member replaced or added, and every other byte
// as it was. The way names objects from the outside in; those that are missing
// are made. An empty text counts as an empty object.
func Set(text []byte, value *Value, way ...string) ([]byte, error) {
	if strings.TrimSpace(string(text)) == "" {
		text = []byte("{}\n")
	}
	v, err := Parse(text)
	if err != nil {
		return nil, err
	}
	for i, key := range way {
		if v.Kind != Object {
			return nil, &TypeError{strings.Join(way[:i], "."), "an object", v.Kind.String()}
		}
		next := v.Get(key)
		if next == nil {
			for j := len(way) - 1; j > i; j-- {
				value = NewObject(Member{way[j], value})
			}
			return insert(text, v, key, value), nil
		}
		v = next
	}
	return fmt.Appendf(nil, "%s%s%s", text[:v.start], reindent(value, lineBreak(text, int(v.start))), text[v.end:]), nil
}

// insert adds a member at the end of an object, in the manner of its last one.
func insert(text []byte, obj *Value, key string, value *Value) []byte {
	outer := lineBreak(text, int(obj.start))
	if len(obj.Members) == 0 {
		inner := outer + "  "
		return fmt.Appendf(nil, "%s{%s%s: %s%s}%s", text[:obj.start], inner, quote(key), reindent(value, inner), outer, text[obj.end:])
	}
	last := obj.Members[len(obj.Members)-1].Value
	sep, inner := " ", outer
	if strings.Contains(string(text[last.end:obj.end]), "\n") {
		inner = lineBreak(text, int(last.start))
		sep = inner
	}
	return fmt.Appendf(nil, "%s,%s%s: %s%s", text[:last.end], sep, quote(key), reindent(value, inner), text[last.end:])
}

// lineBreak is what begins a line like that of an offset: the text's own way
// to end a line, and the white space before the line's first character.
func lineBreak(text []byte, at int) string {
	from := strings.LastIndexByte(string(text[:at]), '\n') + 1
	to := from
	for to < at && (text[to] == ' ' || text[to] == '\t') {
		to++
	}
	if strings.Contains(string(text), "\r\n") {
		return "\r\n" + string(text[from:to])
	}
	return "\n" + string(text[from:to])
}

func reindent(v *Value, lineBreak string) string {
	return strings.ReplaceAll(string(AppendIndent(nil, v)), "\n", lineBreak)
}
