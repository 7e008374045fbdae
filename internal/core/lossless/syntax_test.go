package lossless

import (
	"fmt"
	"strings"
	"testing"
)

func TestSyntaxErrorsSayWhereAndWhat(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1, column 1: unexpected end of the document"},
		{" \n ", "line 2, column 2: unexpected end of the document"},
		{"{\n  \"a\": 1,\n  \"b\": x\n}", "line 3, column 8: 'x' cannot begin a value"},
		{"[1, é]", "line 1, column 5: 'é' cannot begin a value"},
		{"\ufeff{}", "line 1, column 1: begins with a byte order mark"},
		{"{} {}", "line 1, column 4: something follows the end of the document"},
		{"{\"a\":1}\n\n]", "line 3, column 1: something follows the end of the document"},
		{"[1 2]", "line 1, column 4: expected ',' or ']'"},
		{"{\"a\":1 \"b\":2}", "line 1, column 8: expected ',' or '}'"},
		{"[1,]", "line 1, column 4: a ',' before ']'"},
		{"{\"a\":1,\n}", "line 2, column 1: a ',' before '}'"},
		{"[1,", "line 1, column 4: unexpected end of the document"},
		{"[1", "line 1, column 3: unexpected end of the document"},
		{"{a:1}", "line 1, column 2: expected a member name in quotes"},
		{"{\"a\":1,", "line 1, column 8: expected a member name in quotes"},
		{"{\"k\" 1}", "line 1, column 6: expected ':' after the member name \"k\""},
		{"{\"k\"", "line 1, column 5: expected ':' after the member name \"k\""},
		{"{\"k\":1,\"l\":2,\"k\":3}", "line 1, column 20: the object that ends here has the member \"k\" twice"},
		{"tru", "line 1, column 1: expected true"},
		{"[falsy]", "line 1, column 2: expected false"},
		{"nil", "line 1, column 1: expected null"},
		{"-", "line 1, column 2: a number needs a digit here"},
		{"1.x", "line 1, column 3: a number needs a digit after the point"},
		{"1e+", "line 1, column 4: a number needs a digit in its exponent"},
		{"\"a", "line 1, column 3: unexpected end of the document inside a string"},
		{"\"a\nb\"", "line 1, column 3: a control character inside a string"},
		{"\"ab\\x\"", "line 1, column 4: an escape that JSON does not have"},
		{"{\"ab\\u12\":1}", "line 1, column 5: an escape that JSON does not have"},
		{"\"\\", "line 1, column 2: an escape that JSON does not have"},
		{"[\n\"\xff\"]", "line 2, column 1: a string that is not valid UTF-8"},
		{strings.Repeat("[\n", maxDepth+2), "line 502, column 1: nested more than 500 levels deep"},
	} {
		_, err := Parse([]byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("Parse(%.40q)\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestDuplicateKeysAreFoundInSmallAndLargeObjects(t *testing.T) {
	for _, n := range []int{2, 16, 17, 300} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%q:%d,", fmt.Sprint("k", i), i)
		}
		unique := b.String()
		if _, err := Parse([]byte("{" + strings.TrimSuffix(unique, ",") + "}")); err != nil {
			t.Errorf("%d distinct keys: %v", n, err)
		}
		want := fmt.Sprintf("the object that ends here has the member %q twice", fmt.Sprint("k", n-1))
		_, err := Parse(fmt.Appendf(nil, "{%s\"k%d\":0}", unique, n-1))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d keys and one twice: %v, want %s", n, err, want)
		}
	}
}
