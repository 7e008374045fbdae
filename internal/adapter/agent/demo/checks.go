package demo

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// contract is what the agent answers about a criterion before the work.
type contract struct {
	ID       string   `json:"id"`
	Kind     []string `json:"kind"`
	Contract string   `json:"contract"`
	Command  string   `json:"command"`
	KeepAs   string   `json:"keep_as,omitempty"`
}

// givenNames finds the names that warp gives to checks in a prompt.
var givenNames = regexp.MustCompile(`(warp_[0-9a-f]+_[a-z0-9_]+) for ([A-Za-z0-9._-]*[A-Za-z0-9])`)

// check writes a check of each criterion, and a stub.
func (a *Run) check(ctx context.Context) (list []contract, err error) {
	list = []contract{}
	stack := a.stack()
	for _, m := range givenNames.FindAllStringSubmatch(a.Prompt, -1) {
		c, files := stack.check(m[1], m[2])
		for _, f := range files {
			if err := a.Write(ctx, f.name, f.text); err != nil {
				return list, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// check returns the contract of a criterion, its check under a name, and a stub that does nothing.
func (s stack) check(name, id string) (c contract, files []file) {
	stem := "demo_" + strings.Map(Letter, strings.ToLower(id))
	word := strings.ReplaceAll(strings.Map(Letter, strings.ToUpper(id)), "_", "")
	c = contract{ID: id, Kind: []string{"new"}}
	switch {
	case s.goPackage != "":
		c.Contract = fmt.Sprintf("%s.go has func Demo%s() string in package %s. Example: Demo%s() is %q.", stem, word, s.goPackage, word, id)
		c.Command, c.KeepAs = fmt.Sprintf("go test -run 'TestContract%s$' .", word), stem+"_contract_test.go"
		return c, []file{{name + "_test.go", fmt.Sprintf(goCheck, s.goPackage, id, word, word, id, word, id)}, {stem + ".go", fmt.Sprintf(goStub, s.goPackage, word)}}
	case s.sh:
		c.Contract = fmt.Sprintf("%s.sh defines %s, which prints %s whatever its arguments are. Example: %s prints %s.", stem, stem, id, stem, id)
		c.Command, c.KeepAs = "sh "+name+".sh", "tests/"+stem+"_contract_test.sh"
		return c, []file{{name + ".sh", fmt.Sprintf(shCheck, id, stem, stem, id, stem, id, stem, id, stem, id)}, {stem + ".sh", stem + "() { :; }\n"}}
	case s.js:
		export, header := "exports.", jsHeader
		if s.esm {
			export, header = "export const ", esmHeader
		}
		c.Contract = fmt.Sprintf("%s.js exports demo%s. Example: demo%s() is %q.", stem, word, word, id)
		c.Command, c.KeepAs = "node --test "+name+".test.js", stem+".contract.test.js"
		return c, []file{{name + ".test.js", fmt.Sprintf(header+jsCheck, word, stem, id, word, id, id)}, {stem + ".js", fmt.Sprintf("%sdemo%s = () => undefined;\n", export, word)}}
	}
	c.Kind, c.Command = []string{"shape"}, "sh "+name+".sh"
	c.Contract = fmt.Sprintf("%s.txt has a line that begins with %s.", stem, id)
	return c, []file{{name + ".sh", fmt.Sprintf("grep -q '^%s' %s.txt || { echo 'example 1: %s.txt does not name %s'; exit 1; }\n", id, stem, stem, id)}}
}

const goStub = `package %s

func Demo%s() string { return "" }
`

const goCheck = `package %s

import "testing"

// The contract of %s.
func TestContract%s(t *testing.T) {
	if got := Demo%s(); got != %q {
		t.Errorf("example 1: Demo%s() is %%q, expected %s", got)
	}
}
`

const shCheck = `# The contract of %s.
. ./%s.sh
got=$(%s)
[ "$got" = %q ] || { echo "example 1: %s prints '$got', expected %s"; exit 1; }
got=$(%s and more)
[ "$got" = %q ] || { echo "example 2: %s with arguments prints '$got', expected %s"; exit 1; }
`

const jsCheck = `
test("the contract of " + %q, () => assert.equal(demo%s(), %q, "example 1: expected %s"));
`
