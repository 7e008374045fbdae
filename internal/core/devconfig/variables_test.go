package devconfig

import (
	"strings"
	"testing"
)

// The variables that a person is asked for are those that stand in what is run.
func TestVariablesThatAreNamed(t *testing.T) {
	m, _, err := Parse([]byte(`{
		"server": {"command": "A=1 exec $B \"${C:-x}\" ${#D} $$ $1 $(E) $", "env": {"F": "${G}", "H": "plain"}},
		"migrations": {"command": ["run", "$I"], "database": "${J}"},
		"seed": {"directory": "s", "runner": "load $K_1", "database": "sqlite:x"},
		"auth": {"users": "u", "provision": "make $L"},
		"access": {"notes": "$M"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if have := strings.Join(m.Variables(), " "); have != "B C D G I J K_1 L" {
		t.Errorf("named are %s", have)
	}
	if have := strings.Join(m.Databases(), " "); have != "${J} sqlite:x sqlite:x" {
		t.Errorf("databases are %s", have)
	}
	if none := (Manifest{Auth: &Auth{Adapter: SQL, Provision: "SELECT $X"}}); len(none.Variables()) > 0 {
		t.Error("SQL has no variables")
	}
}
