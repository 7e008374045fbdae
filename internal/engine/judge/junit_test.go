package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/testoutput"
)

func TestReadJUnit(t *testing.T) {
	for name, c := range map[string]struct {
		report string
		want   testoutput.Run
	}{
		"pytest": {`<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4" time="0.036" timestamp="2026-11-16T02:00:00" hostname="box">
<testcase classname="tests.test_a" name="test_ok[a &amp; b]" time="0.001" />
<testcase classname="tests.test_a" name="test_fail" time="0.001"><failure message="assert 1 == 2">def test_fail():</failure></testcase>
<testcase classname="tests.test_a.TestC" name="test_skip" time="0.000"><skipped type="pytest.skip" message="later">x</skipped></testcase>
<testcase classname="" name="tests.test_broken" time="0.000"><error message="collection failure">ImportError</error></testcase></testsuite></testsuites>`,
			testoutput.Run{"pytest > tests.test_a > test_ok[a & b]": testoutput.Passed, "pytest > tests.test_a > test_fail": testoutput.Failed, "pytest > tests.test_a.TestC > test_skip": testoutput.Skipped, "pytest > tests.test_broken": testoutput.Failed}},
		"surefire": {`<testsuite name="shop.PriceTest" time="0.1"><properties><property name="x" value="y"/></properties>
<testcase name="addsTax" classname="shop.PriceTest" time="0.01"><flakyFailure>x</flakyFailure><system-out><![CDATA[<failure/>]]></system-out></testcase>
<testcase name="shop.PriceTest" classname="shop.PriceTest"/></testsuite>`,
			testoutput.Run{"shop.PriceTest > addsTax": testoutput.Passed, "shop.PriceTest > shop.PriceTest": testoutput.Passed}},
		"nested suites": {`<testsuites><testsuite name="cart"><testsuite name="deep"><testcase name="x" classname="test"/></testsuite><testcase name="x" classname="test"/><testcase name="x" classname="test"><skipped/></testcase></testsuite></testsuites>`,
			testoutput.Run{"cart > deep > test > x": testoutput.Passed, "cart > test > x": testoutput.Passed, "cart > test > x #2": testoutput.Skipped}},
		"a failure and a skip": {`<testsuite name="s"><testcase name="a"><failure/><skipped/></testcase><testcase name="b" status="notrun"/><testcase/></testsuite>`,
			testoutput.Run{"s > a": testoutput.Failed, "s > b": testoutput.Skipped, "s": testoutput.Passed}},
		"no tests":              {`<testsuites/>`, testoutput.Run{}},
		"something else":        {`<html></html>`, nil},
		"empty":                 {"", nil},
		"cut off":               {`<testsuite name="s"><testcase name="a"/>`, nil},
		"not XML":               {`1..1`, nil},
		"an external entity":    {`<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>`, nil},
		"an undefined entity":   {`<testsuite name="&x;"/>`, nil},
		"too deep":              {strings.Repeat("<testsuite>", 20_000) + strings.Repeat("</testsuite>", 20_000), nil},
		"too large":             {strings.Repeat(" ", maxReport+1), nil},
		"another encoding":      {`<?xml version="1.0" encoding="utf-7"?><testsuite/>`, nil},
		"more than can be kept": {"<testsuite>" + many(100_000+1), nil},
		"one name too often":    {"<testsuite>" + strings.Repeat(`<testcase name="a"/>`, 100_000+1) + "</testsuite>", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readJUnit([]byte(c.report))
			if (err != nil) != (c.want == nil) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<testcase name="t%d"/>`, i)
	}
	return b.String() + "</testsuite>"
}

// A suite with a long name costs its tests no more than a short one.
func TestReadJUnitCutsNames(t *testing.T) {
	run, err := readJUnit([]byte(`<testsuite name="` + strings.Repeat("x", 1<<20) + `">` + strings.Repeat(`<testcase name="a"/>`, 1000) + `</testsuite>`))
	if err != nil || len(run) != 1000 {
		t.Fatal(len(run), err)
	}
	for name := range run {
		if len(name) > 800 {
			t.Fatalf("%d bytes", len(name))
		}
	}
}

func FuzzReadJUnit(f *testing.F) {
	f.Add([]byte(`<testsuites><testsuite name="a"><testcase classname="a" name="b"><failure/></testcase></testsuite></testsuites>`))
	f.Add([]byte(`<testsuite name="a"><testcase name="b"><skipped/>`))
	f.Add([]byte(`<!DOCTYPE a><testsuite/>`))
	f.Fuzz(func(t *testing.T, report []byte) {
		run, err := readJUnit(report)
		if (run == nil) == (err == nil) {
			t.Fatalf("%v, %v", run, err)
		}
	})
}
