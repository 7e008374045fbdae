package yamltree

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

type house struct {
	Name   string   `yaml:"name" is:"line"`
	Floors int      `yaml:"floors" is:"number"`
	Tags   []string `yaml:"tags" is:"line"`
	Rooms  []room   `yaml:"rooms" is:"a room"`
	Roof   *roof    `yaml:"roof" is:"a roof"`
	Cellar roof     `yaml:"cellar" is:"a cellar"`
	Notes  string   // no key

	_ struct{} `yaml:"extra"` // a key for the caller
	Written
}

type room struct {
	Name string `yaml:"name" is:"line"`
	Use  string `yaml:"use" is:"prose"`
	Written
}

type roof struct {
	Flat  string `yaml:"flat" is:"line"`
	Slope int    `yaml:"slope" is:"number"`
	Written
}

func newDecoder() *Decoder {
	return &Decoder{
		Formats: map[string]Format{
			"line":  NewFormat("one line", (*Node).AsLine),
			"prose": NewFormat("a text", (*Node).AsText),
			"number": NewFormat("a number", func(n *Node) (int, bool) {
				i, err := strconv.Atoi(n.Text)
				return i, err == nil
			}),
		},
		Shapes: map[string]Shape{
			"a house":  {Synonyms: map[string]string{"called": "name"}},
			"a room":   {Short: "name", ListOf: "1 or 2 rooms", Least: 1, Most: 2},
			"a cellar": {Without: []string{"slope"}, Needs: "flat"},
		},
	}
}

// decoded returns a house and what is wrong with it.
func decoded(d *Decoder, text string) (house, string) {
	var h house
	if n := d.Parse("h.yaml", []byte(text)); n != nil {
		d.Decode(n, "a house", &h)
	}
	var lines []string
	for _, p := range d.Sorted() {
		lines = append(lines, p.Error())
	}
	return h, strings.Join(lines, "\n")
}

func TestDecodeFillsAStruct(t *testing.T) {
	d := newDecoder()
	var seen []string
	d.Rewrite = func(n, written *Node, shape string) {
		seen = append(seen, shape)
		if written.Has("called") {
			n.Put("floors", NewText(n.Where("name"), "3"))
		}
	}
	h, wrong := decoded(d, "called: 7\nextra: [x]\ntags: one\nrooms:\n  - kitchen\n  - {name: study, use: \"a\\nb\"}\nroof: {slope: 5}\ncellar: {flat: yes}\n")
	if wrong != "" {
		t.Fatal(wrong)
	}
	got := fmt.Sprint(h.Name, h.Floors, h.Tags, len(h.Rooms), h.Rooms[0].Name, h.Rooms[1].Name, h.Rooms[1].Use, h.Roof.Slope, h.Cellar.Flat)
	if want := fmt.Sprint("7", 3, []string{"one"}, 2, "kitchen", "study", "a\nb", 5, "yes"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if at := h.Node.Where("name"); at.Line != 1 || h.Rooms[1].Node.Where("use").Line != 6 || !h.Node.Has("extra") {
		t.Errorf("%+v", at)
	}
	if got := strings.Join(seen, ", "); got != "a house, a room, a room, a roof, a cellar" {
		t.Error(got)
	}
	// What a second mapping omits stays.
	if n := d.Parse("h.yaml", []byte("floors: 4\n")); !d.Decode(n, "a house", &h) || h.Name != "7" || h.Floors != 4 {
		t.Errorf("%+v", h)
	}
}

func TestDecodeReportsEverything(t *testing.T) {
	for text, want := range map[string]string{
		"- a\n": "h.yaml:1:1: a house must be a mapping, not a list",
		"name: a\ncalled: b\nnmae: c\nfloors: many\ntags: [a, {}, \"x\\ny\"]\nrooms: kitchen\nroof: 3\ncellar: {slope: 1}\n": `h.yaml:2:9: name and called are the same; give one of them
h.yaml:3:1: a house has no key "nmae"; did you mean name?
h.yaml:4:9: floors must be a number, not "many"
h.yaml:5:11: tags must be one line, not a mapping
h.yaml:5:15: tags must be one line, not "x\ny"
h.yaml:6:8: rooms must be a list of 1 or 2 rooms
h.yaml:7:7: a roof must be a mapping, not a number
h.yaml:8:9: a cellar must have the key "flat"
h.yaml:8:10: a cellar has no key "slope"`,
		"rooms: [[x], {use: ' '}]\ncellar: x\n": `h.yaml:1:9: a room must be a mapping, not a list
h.yaml:1:20: use must be a text, not " "
h.yaml:2:9: a cellar must be a mapping, not a text`,
	} {
		if h, got := decoded(newDecoder(), text); got != want || len(h.Rooms) > 1 {
			t.Errorf("%s\n%s\nwant\n%s", text, got, want)
		}
	}
}
