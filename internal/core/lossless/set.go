package lossless

import "strings"

// Set returns the text with one member replaced or added, and every other byte unchanged. The way
// names the objects from the outside in; missing ones are added. An empty text counts as an empty
// object.
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
			return AddMember(text, v, key, value), nil
		}
		v = next
	}
	return ReplaceValue(text, v, value), nil
}

// lineBreak returns what begins a line like the one at an offset: the text's line ending and the
// line's indentation.
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
