package lossless

import "slices"

// AppendCompact appends the value without white space.
func AppendCompact(dst []byte, v *Value) []byte {
	switch v = v.present(); v.Kind {
	case Array:
		dst = append(dst, '[')
		for i, e := range v.Elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendCompact(dst, e)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendKey(dst, m.Key)
			dst = AppendCompact(append(dst, ':'), m.Value)
		}
		return append(dst, '}')
	default:
		return append(dst, v.Raw...)
	}
}

// AppendIndent appends the value over several lines: two spaces per level, and one line for each
// array element without nesting, so that a long history reads and diffs as a list.
func AppendIndent(dst []byte, v *Value) []byte { return appendIndent(dst, v, 0) }

func appendIndent(dst []byte, v *Value, depth int) []byte {
	v = v.present()
	switch {
	case v.Kind == Array && len(v.Elems) > 0:
		dst = append(dst, '[')
		for i, e := range v.Elems {
			dst = appendElem(newline(dst, i > 0, depth+1), e, depth+1)
		}
		return append(newline(dst, false, depth), ']')
	case v.Kind == Object && len(v.Members) > 0:
		dst = append(dst, '{')
		for i, m := range v.Members {
			dst = appendKey(newline(dst, i > 0, depth+1), m.Key)
			dst = appendIndent(append(dst, ": "...), m.Value, depth+1)
		}
		return append(newline(dst, false, depth), '}')
	default:
		return AppendCompact(dst, v)
	}
}

func appendElem(dst []byte, v *Value, depth int) []byte {
	v = v.present()
	switch {
	case len(v.Members) > 0 && !slices.ContainsFunc(v.Members, func(m Member) bool { return holds(m.Value) }):
		for i, m := range v.Members {
			dst = appendKey(between(dst, '{', i), m.Key)
			dst = append(append(dst, ": "...), scalarText(m.Value)...)
		}
		return append(dst, '}')
	case len(v.Elems) > 0 && !slices.ContainsFunc(v.Elems, holds):
		for i, e := range v.Elems {
			dst = append(between(dst, '[', i), scalarText(e)...)
		}
		return append(dst, ']')
	}
	return appendIndent(dst, v, depth)
}

// between opens a line of values, or separates the i-th from the previous one.
func between(dst []byte, open byte, i int) []byte {
	if i == 0 {
		return append(dst, open)
	}
	return append(dst, ", "...)
}

func holds(v *Value) bool { return v != nil && len(v.Members)+len(v.Elems) > 0 }

// scalarText returns the text of a value that holds nothing.
func scalarText(v *Value) string {
	switch v = v.present(); v.Kind {
	case Array:
		return "[]"
	case Object:
		return "{}"
	}
	return v.Raw
}

const blanks = "                                                                "

func newline(dst []byte, comma bool, depth int) []byte {
	if comma {
		dst = append(dst, ',')
	}
	dst = append(dst, '\n')
	for n := 2 * depth; n > 0; n -= len(blanks) {
		dst = append(dst, blanks[:min(n, len(blanks))]...)
	}
	return dst
}

func appendKey(dst []byte, key string) []byte {
	for i := 0; i < len(key); i++ {
		if c := key[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return append(dst, quote(key)...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, key...)
	return append(dst, '"')
}
