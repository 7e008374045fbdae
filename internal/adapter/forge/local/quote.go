package local

import (
	"encoding/json"
	"fmt"
	"strings"
)

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
