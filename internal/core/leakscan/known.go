package leakscan

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"warp/internal/core/redact"
)

// minLength is the minimum length of a variable's value to search for: shorter ones appear in
// sources by chance.
const minLength = 12

// Known are the values of secret variables.
type Known struct {
	list   []spelling
	spread []spread
}

type spelling struct {
	text []byte
	of   Match
}

// Add adds the secrets of an environment; from says where they come from.
func (k *Known) Add(environ []string, from string) {
	for _, v := range redact.Values(environ) {
		if len(v.Text) < minLength || isPlaceholder(v.Text) {
			continue
		}
		m := Match{Rule: "value of " + v.Name + from, Value: v.Text}
		if slices.ContainsFunc(k.list, func(s spelling) bool { return s.of.Value == m.Value }) {
			continue
		}
		for _, s := range listSpellings(v.Text) {
			k.list = append(k.list, spelling{[]byte(s), m})
		}
		k.spread = append(k.spread, listSpread(m)...)
	}
}

// Find returns the known values in a content, once each. A match has the variable's value, however
// it was spelled.
func (k *Known) Find(content []byte) []Match {
	var found []Match
	for _, s := range k.list {
		if bytes.Contains(content, s.text) && !slices.Contains(found, s.of) {
			found = append(found, s.of)
		}
	}
	for _, m := range k.findSpread(content) {
		if !slices.Contains(found, m) {
			found = append(found, m)
		}
	}
	return found
}

// FindSpelling returns how a value is spelled in a content; "" if it is absent.
func (k *Known) FindSpelling(content []byte, m Match) string {
	for _, s := range k.list {
		if s.of == m && bytes.Contains(content, s.text) {
			return string(s.text)
		}
	}
	return k.spanOf(content, m)
}

// listSpellings returns the ways to write a value: as it is, escaped, in base64 at any offset, in
// hexadecimal, backwards. Of a value with many lines each long line counts.
func listSpellings(value string) []string {
	list := []string{value}
	for l := range strings.Lines(value) {
		if l = strings.TrimSpace(l); len(l) >= 2*minLength {
			list = append(list, l)
		}
	}
	list = append(list, url.QueryEscape(value), url.PathEscape(value), strings.ReplaceAll(strings.ReplaceAll(value, `\`, `\\`), `"`, `\"`), strings.ReplaceAll(value, "\n", `\n`),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))), reverse(value))
	for shift := range 3 { // what precedes it decides how it is grouped in threes
		padded := append(make([]byte, shift), value...)
		padded = padded[:len(padded)-len(padded)%3]
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			if s := e.EncodeToString(padded); len(s) > 4+minLength {
				list = append(list, s[min(shift, 1)*4:])
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// isMachinePath reports whether a value is a path on this machine: GOOGLE_APPLICATION_CREDENTIALS
// names a file.
func isMachinePath(v string) bool {
	first, _, deep := strings.Cut(strings.TrimPrefix(v, "/"), "/")
	return strings.HasPrefix(v, "/") && deep && slices.Contains([]string{"home", "users", "root", "etc", "var", "run", "tmp", "opt", "usr", "mnt", "srv", "private"}, first)
}

// isPlaceholder reports whether a value is only a placeholder: your-api-key-here, <token>, ${KEY}.
func isPlaceholder(value string) bool {
	v := strings.ToLower(value)
	if strings.Trim(v, "x*.-_0") == "" || strings.ContainsAny(v[:1], "<$%{[") {
		return true
	}
	if isMachinePath(v) {
		return true
	}
	for _, w := range []string{"changeme", "change-me", "change_me", "placeholder", "your-", "your_", "replace-me", "replace_me", "example"} {
		if strings.Contains(v, w) {
			return true
		}
	}
	return false
}
