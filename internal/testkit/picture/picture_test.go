package main

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestAStyleLastsOverLinesUntilItIsChanged(t *testing.T) {
	have := readScreen("\x1b[2ma\nb \x1b[0m\x1b[31;1mc\x1b[39md\x1b[0m e\n\n\n")
	want := [][]span{
		{{0, "a", style{dim: true}}},
		{{0, "b ", style{dim: true}}, {2, "c", style{colours["31"], true, false}}, {3, "d", style{bold: true}}, {4, " e", style{}}},
	}
	if !slices.EqualFunc(have, want, slices.Equal) {
		t.Errorf("have %v\nwant %v", have, want)
	}
}

func TestThePictureIsXMLWithTheTextOfEveryScreen(t *testing.T) {
	svg := drawSVG(20, 4, []string{"\x1b[1m$ a <b> & c\n", "  ✓ done\n"})
	var texts []string
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var text string
			if err := d.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, start.Attr[0].Value+" "+text)
		}
	}
	if want := []string{"16 $ a <b> & c", "32 ✓ done"}; !slices.Equal(texts, want) {
		t.Errorf("have %q, want %q", texts, want)
	}
	if !strings.Contains(svg, "#s0 { visibility: hidden }") || strings.Contains(svg, "#s1 { visibility: hidden }") {
		t.Errorf("without motion the last screen, and only that, has to be visible:\n%s", svg)
	}
}
