package lossless

import "testing"

func TestAddInTheMannerOfTheText(t *testing.T) {
	group := `{"hooks":[{"type":"command"}]}`
	for _, c := range []struct{ name, text, elem, want string }{
		{"one line", `{"a": ["x", "y"]}`, `"z"`, `{"a": ["x", "y", "z"]}`},
		{"no blanks", `{"a":["x"]}`, `"z"`, `{"a":["x", "z"]}`},
		{"empty", `{"a": []}`, `"z"`, "{\"a\": [\n  \"z\"\n]}"},
		{"empty with blanks", "{\n  \"a\": [ ]\n}\n", `"z"`, "{\n  \"a\": [\n    \"z\"\n  ]\n}\n"},
		{"lines", "{\n  \"a\": [\n    \"x\"\n  ]\n}\n", `"z"`, "{\n  \"a\": [\n    \"x\",\n    \"z\"\n  ]\n}\n"},
		{"tabs", "{\n\t\"a\": [\n\t\t{}\n\t]\n}\n", group, "{\n\t\"a\": [\n\t\t{},\n\t\t{\n\t\t\t\"hooks\": [\n\t\t\t\t{\"type\": \"command\"}\n\t\t\t]\n\t\t}\n\t]\n}\n"},
		{"four blanks", "{\n    \"a\": []\n}\n", group, "{\n    \"a\": [\n        {\n            \"hooks\": [\n                {\"type\": \"command\"}\n            ]\n        }\n    ]\n}\n"},
		{"CRLF", "{\r\n  \"a\": [\r\n    1\r\n  ]\r\n}\r\n", "2", "{\r\n  \"a\": [\r\n    1,\r\n    2\r\n  ]\r\n}\r\n"},
		{"bracket behind the last", "{\"a\": [\n  1]}", "2", "{\"a\": [\n  1,\n  2]}"},
	} {
		doc := mustParse(t, c.text)
		if got := Add([]byte(c.text), doc.Get("a"), mustParse(t, c.elem)); string(got) != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestAddMemberInTheMannerOfTheText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"a": {}}`, "{\"a\": {\n  \"k\\n\": 1\n}}"},
		{`{"a": {"b": 0}}`, `{"a": {"b": 0, "k\n": 1}}`},
		{"{\n\t\"a\": {\n\t\t\"b\": 0\n\t}\n}", "{\n\t\"a\": {\n\t\t\"b\": 0,\n\t\t\"k\\n\": 1\n\t}\n}"},
	} {
		if got := AddMember([]byte(c.text), mustParse(t, c.text).Get("a"), "k\n", NewInt(1)); string(got) != c.want {
			t.Errorf("got %q\nwant %q", got, c.want)
		}
	}
}

func TestExchangeKeepsThePlace(t *testing.T) {
	text := "{\n\t\"a\": [ {\"old\": 1} ,\t2 ]\n}\n"
	got := ReplaceValue([]byte(text), mustParse(t, text).Get("a").Elems[0], mustParse(t, `{"n":[3]}`))
	if want := "{\n\t\"a\": [ {\n\t\t\"n\": [\n\t\t\t3\n\t\t]\n\t} ,\t2 ]\n}\n"; string(got) != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		i    int
		want string
	}{
		{`{"a": [1, 2 , 3]}`, 0, `{"a": [2 , 3]}`},
		{`{"a": [1, 2 , 3]}`, 1, `{"a": [1 , 3]}`},
		{`{"a": [1, 2 , 3 ]}`, 2, `{"a": [1, 2 ]}`},
		{"{\"a\": [\n  1\n]}", 0, `{"a": []}`},
		{"{\"a\": {\n  \"x\" : 1,\n  \"y\": 2\n}}", 0, "{\"a\": {\n  \"y\": 2\n}}"},
		{"{\"a\": {\n  \"x\" : 1,\n  \"y\": 2\n}}", 1, "{\"a\": {\n  \"x\" : 1\n}}"},
		{`{"a": {"x": 1}}`, 0, `{"a": {}}`},
	} {
		if got := RemoveItem([]byte(c.text), mustParse(t, c.text).Get("a"), c.i); string(got) != c.want {
			t.Errorf("cutting %d of %q\n got %q\nwant %q", c.i, c.text, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	text := "{\r\n\"a\":\n [\n1]}"
	if n := mustParse(t, text).Get("a").Elems[0].Line([]byte(text)); n != 4 {
		t.Errorf("line %d, want 4", n)
	}
}
