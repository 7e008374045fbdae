package lossless

import (
	"errors"
	"testing"
)

func TestSetChangesOneMemberInTheMannerOfTheText(t *testing.T) {
	object := `{"k":[1]}`
	for _, c := range []struct{ name, text, value, want string }{
		{"no text", "", "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"blank text", " \n\t\r\n", "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"empty object", "{}", "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		{"one line, replaced", `{"a": {"b": 1, "c": 2}}`, "9", `{"a": {"b": 9, "c": 2}}`},
		{"one line, added", `{"a": {"c": 2}, "d": 3}`, "9", `{"a": {"c": 2, "b": 9}, "d": 3}`},
		{"one line, outer made", `{"c": 2}`, "9", "{\"c\": 2, \"a\": {\n  \"b\": 9\n}}"},
		{"no blanks", `{"a":{"b":1}}`, "true", `{"a":{"b":true}}`},
		{"odd blanks kept", "{ \"a\" :\t{ \"b\"  :  1  , \"c\":2 } }\n\n", "null", "{ \"a\" :\t{ \"b\"  :  null  , \"c\":2 } }\n\n"},
		{"tabs", "{\n\t\"a\": {\n\t\t\"c\": 1\n\t}\n}\n", "2", "{\n\t\"a\": {\n\t\t\"c\": 1,\n\t\t\"b\": 2\n\t}\n}\n"},
		{"four blanks", "{\n    \"a\": {\n        \"c\": 1\n    }\n}\n", object,
			"{\n    \"a\": {\n        \"c\": 1,\n        \"b\": {\n            \"k\": [\n                1\n            ]\n        }\n    }\n}\n"},
		{"CRLF", "{\r\n  \"a\": {\r\n    \"c\": 1\r\n  }\r\n}\r\n", "2", "{\r\n  \"a\": {\r\n    \"c\": 1,\r\n    \"b\": 2\r\n  }\r\n}\r\n"},
		{"CRLF, outer made", "{\r\n  \"x\": 1\r\n}\r\n", "2", "{\r\n  \"x\": 1,\r\n  \"a\": {\r\n    \"b\": 2\r\n  }\r\n}\r\n"},
		{"empty inner object", "{\n  \"a\": {},\n  \"z\": 0\n}", "1", "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"z\": 0\n}"},
		{"empty inner object with blanks", "{\n  \"a\": {\n\n  }\n}", "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		{"an object replaced", "{\n  \"a\": {\n    \"b\": {\"old\": 1},\n    \"c\": 2\n  }\n}", object,
			"{\n  \"a\": {\n    \"b\": {\n      \"k\": [\n        1\n      ]\n    },\n    \"c\": 2\n  }\n}"},
		{"escaped key found", `{"\u0061": {"\u0062": 1}}`, "2", `{"\u0061": {"\u0062": 2}}`},
		{"numbers elsewhere kept", `{"n": 1.50e0, "a": {"b": 0}}`, "1.0", `{"n": 1.50e0, "a": {"b": 1.0}}`},
	} {
		got, err := Set([]byte(c.text), mustParse(t, c.value), "a", "b")
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got %q (%v)\nwant %q", c.name, got, err, c.want)
		}
	}
}

func TestSetWithoutAWayReplacesTheDocument(t *testing.T) {
	got, err := Set([]byte("\n{\"a\":1}\n"), mustParse(t, "[2]"))
	if want := "\n[\n  2\n]\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestSetMakesAllObjectsOfAWayInOrder(t *testing.T) {
	got, err := Set([]byte("{}"), NewInt(1), "a", "b", "c", "d")
	v, _ := Parse(got)
	if want := `{"a":{"b":{"c":{"d":1}}}}`; err != nil || v == nil || compact(v) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestSetRefusesWhatItCannotEdit(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{", "line 1, column 2: unexpected end of the document"},
		{"\ufeff{}", "line 1, column 1: begins with a byte order mark"},
		{"[]", "the document must be an object, not an array"},
		{`{"a":[]}`, "a must be an object, not an array"},
		{`{"a":null}`, "a must be an object, not null"},
		{`{"a":{"b":"x"}}`, "a.b must be an object, not a string"},
	} {
		got, err := Set([]byte(c.text), NewInt(1), "a", "b", "c")
		if err == nil || err.Error() != c.want || got != nil {
			t.Errorf("Set in %s\n got %q, %v\nwant %s", c.text, got, err, c.want)
		}
	}
	_, err := Set([]byte(`{"a":1}`), NewInt(1), "a", "b")
	var te *TypeError
	if !errors.As(err, &te) || te.Path != "a" {
		t.Errorf("got %v, want a *TypeError at a", err)
	}
}
