package lossless

// AppendCompact appends the value without white space.
func AppendCompact(dst []byte, v *Value) []byte {
	switch v.Kind {
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

// AppendIndent appends the value the way JSON.stringify(value, null, 2) prints it.
func AppendIndent(dst []byte, v *Value) []byte { return appendIndent(dst, v, 0) }

func appendIndent(dst []byte, v *Value, depth int) []byte {
	switch {
	case v.Kind == Array && len(v.Elems) > 0:
		dst = append(dst, '[')
		for i, e := range v.Elems {
			dst = appendIndent(newline(dst, i > 0, depth+1), e, depth+1)
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
