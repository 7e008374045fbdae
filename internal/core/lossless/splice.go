package lossless

import (
	"bytes"
	"slices"
	"strings"
)

// These functions edit a text by the values that Parse found in it. Each changes one element or
// member and leaves every other byte alone. A value refers to the text it was parsed from, so the
// new text must be parsed again before the next edit.

// Add returns the text with an element added to an array.
func Add(text []byte, array, elem *Value) []byte {
	return add(text, array, "", elem)
}

// AddMember returns the text with a member added to an object, which must not have that name yet.
func AddMember(text []byte, object *Value, key string, value *Value) []byte {
	return add(text, object, quote(key)+": ", value)
}

// ReplaceValue returns the text with one value replaced.
func ReplaceValue(text []byte, old, value *Value) []byte {
	return join(text[:old.start], spell(text, value, lineBreak(text, int(old.start))), text[old.end:])
}

// RemoveItem returns the text without the i-th element of an array or member of an object. It
// undoes Add exactly, unless the array was empty before.
func RemoveItem(text []byte, from *Value, i int) []byte {
	items := from.items()
	switch {
	case len(items) == 1:
		return join(text[:from.start+1], "", text[from.end-1:])
	case i > 0:
		return join(text[:items[i-1].end], "", text[items[i].end:])
	}
	first := skip(text, int(from.start)+1)
	second := skip(text, skip(text, int(items[0].end))+1) // past the comma
	return join(text[:first], "", text[second:])
}

// RemoveMember returns the text without a member that an object has.
func RemoveMember(text []byte, object *Value, key string) []byte {
	return RemoveItem(text, object, slices.IndexFunc(object.Members, func(m Member) bool { return m.Key == key }))
}

// Line returns the line on which a value begins.
func (v *Value) Line(text []byte) int {
	return 1 + bytes.Count(text[:min(int(v.present().start), len(text))], []byte("\n"))
}

func add(text []byte, to *Value, label string, value *Value) []byte {
	items := to.items()
	outer := lineBreak(text, int(to.start))
	if len(items) == 0 {
		inner := outer + unit(text)
		return join(text[:to.start+1], inner+label+spell(text, value, inner)+outer, text[to.end-1:])
	}
	last := items[len(items)-1]
	sep, inner := " ", outer
	switch {
	case bytes.Contains(text[last.end:to.end], []byte("\n")):
		inner = lineBreak(text, int(last.start))
		sep = inner
	case bytes.Contains(text[to.start:items[0].start], []byte("\n")):
		inner = lineBreak(text, int(items[0].start))
		sep = inner
	}
	return join(text[:last.end], ","+sep+label+spell(text, value, inner), text[last.end:])
}

// items returns the elements of an array, or the values of an object's members.
func (v *Value) items() []*Value {
	items := v.Elems
	for _, m := range v.Members {
		items = append(items, m.Value)
	}
	return items
}

func skip(text []byte, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	return at
}

// unit returns one level of the text's indentation: what precedes the document's first member.
func unit(text []byte) string {
	open := skip(text, 0)
	at := skip(text, open+1)
	if at < len(text) && bytes.IndexByte(text[open:at], '\n') >= 0 {
		if blank := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]; len(blank) > 0 && text[at] != '}' && text[at] != ']' {
			return string(blank)
		}
	}
	return "  "
}

// spell formats a value over several lines in the style of the text.
func spell(text []byte, v *Value, lineBreak string) string {
	one := unit(text)
	var b strings.Builder
	for i, line := range strings.Split(string(AppendIndent(nil, v)), "\n") {
		rest := strings.TrimLeft(line, " ")
		if i > 0 {
			b.WriteString(lineBreak)
			b.WriteString(strings.Repeat(one, (len(line)-len(rest))/2))
		}
		b.WriteString(rest)
	}
	return b.String()
}

func join(front []byte, middle string, back []byte) []byte {
	out := make([]byte, 0, len(front)+len(middle)+len(back))
	return append(append(append(out, front...), middle...), back...)
}
