package testintegrity

import "testing"

const rsProduct = `pub fn area(w: u32, h: u32) -> u32 { assert!(w > 0); w * h }
`

const rsArea = `
    #[test]
    fn area_of_square() {
        assert_eq!(area(5, 5), 25);
        assert_ne!(area(2, 6), 13);
    }
`

const rsPanics = `
    #[test]
    #[should_panic(expected = "zero")]
    fn area_of_nothing() {
        area(0, 9);
    }
`

// rsLib is a file of the product with the given tests inside.
func rsLib(tests string) string {
	return rsProduct + "\n#[cfg(test)]\nmod tests {\n    use super::*;\n" + tests + "}\n"
}

var rsAttacks = []edit{
	{"file deleted", rsLib(rsArea), "-", "deleted"},
	{"test module removed", rsLib(rsArea + rsPanics), rsProduct, "removed"},
	{"test removed", rsLib(rsArea + rsPanics), rsLib(rsArea), "removed"},
	{"attribute removed", rsLib(rsArea + rsPanics), rsLib(rsArea + `
    #[should_panic(expected = "zero")]
    fn area_of_nothing() {
        area(0, 9);
    }
`), "removed"},
	{"test commented out", rsLib(rsArea + rsPanics), rsLib(rsArea + "/*" + rsPanics + "*/"), "removed"},
	{"ignore", rsLib(rsArea + rsPanics), rsLib("#[ignore]" + rsArea + rsPanics), "skipped"},
	{"ignore with a reason", rsLib(rsArea), rsLib("#[ignore = \"slow\"]" + rsArea), "skipped"},
	{"ignore under cfg_attr", rsLib(rsArea), rsLib("#[cfg_attr(ci, ignore)]" + rsArea), "skipped"},
	{"cfg on the module", rsLib(rsArea), rsProduct + "#[cfg(all(test, never))]\nmod tests {\n" + rsArea + "}", "skipped"},
	{"module switched off", rsLib(rsArea), rsProduct + "#[cfg(any())]\nmod tests {\n" + rsArea + "}", "skipped"},
	{"emptied", rsLib(rsArea), rsLib("#[test]\nfn area_of_square() {}\n"), "emptied"},
	{"return first", rsLib(`
    #[test]
    fn reads() -> Result<(), E> {
        assert_eq!(read("b")?, 4);
        Ok(())
    }
`), rsLib(`
    #[test]
    fn reads() -> Result<(), E> {
        return Ok(());
        assert_eq!(read("b")?, 4);
        Ok(())
    }
`), "emptied"},
}

var rsHarmless = []edit{
	{"new file", "-", rsLib(rsArea), ""},
	{"product changed", rsLib(rsArea), "pub fn area(w: u32, h: u32) -> u32 { w * h }\n#[cfg(test)]\nmod tests {" + rsArea + "}", ""},
	{"product without tests deleted", rsProduct, "-", ""},
	{"test added", rsLib(rsArea), rsLib(rsArea + rsPanics), ""},
	{"test renamed", rsLib(rsArea + rsPanics), rsLib(rsArea + `
    #[test]
    #[should_panic(expected = "zero")]
    fn nothing_has_no_area() {
        area(0, 9);
    }
`), ""},
	{"module renamed", rsLib(rsArea), rsProduct + "#[cfg(test)]\nmod area_tests {\n" + rsArea + "}", ""},
	{"lifetimes, characters and raw strings", rsLib(`
    fn first<'a>(s: &'a str) -> &'a str { s }
    #[test]
    fn quotes() { assert_eq!(first(r#"a"b"#), 'x'); assert_eq!('\'', '"'); assert_eq!(b"y", c"z"); }
`), rsLib(`
    fn first<'b>(s: &'b str) -> &'b str { s }
    #[test]
    fn quotes() { assert_eq!(first(r##"a"#b"##), 'é'); assert_eq!('\u{41}', '"'); assert_eq!(b"y", c"z"); }
`), ""},
	{"table", rsLib(rsArea), rsLib(`
    #[test]
    fn area_of_square() {
        for (w, h, a) in [(5, 5, 25), (2, 6, 13)] {
            assert_eq!(area(w, h) == 25, a == 25);
        }
    }
`), ""},
	{"modules of the same tests reordered",
		"#[cfg(test)]\nmod one { #[test]\nfn a() { assert_eq!(one(1), 2); assert_eq!(one(3), 4); } }\n#[cfg(test)]\nmod two { #[test]\nfn a() { assert_eq!(two(5), 6); } }",
		"#[cfg(test)]\nmod two { #[test]\nfn a() { assert_eq!(two(5), 6); } }\n#[cfg(test)]\nmod one { #[test]\nfn a() { assert_eq!(one(1), 2); assert_eq!(one(3), 4); } }", ""},
	{"cases", rsLib(rsArea), rsLib(`
    #[rstest]
    #[case(5, 5, 25)]
    #[case(2, 6, 13)]
    fn area_of_square(#[case] w: u32, #[case] h: u32, #[case] a: u32) {
        assert_eq!(area(w, h), a);
    }
`), ""},
	{"helper extracted", rsLib(rsArea), rsLib(`
    pub(crate) fn square<T: Into<u32>>(n: T) where T: Copy {
        assert_eq!(area(5, 5), 25);
        assert_ne!(area(2, 6), 13);
    }
    #[test]
    fn area_of_square() { square(5) }
`), ""},
	{"words in strings and comments", rsLib("#[test]\nfn a() { assert_eq!(f(31), \"#[ignore]\"); }\n"),
		rsLib("// #[ignore]\n#[test]\nfn a() { assert_eq!(f(31), \"assert!(true)\"); }\n"), ""},
	{"trait without a body", rsLib(rsArea), rsLib("trait T { fn f(&self); }\n" + rsArea), ""},
	{"module in a file of its own and back", rsProduct + "#[cfg(test)]\nmod tests;\n", rsLib(rsArea), ""},
	{"attribute of the crate", rsLib(rsArea), "#![allow(dead_code)]\n" + rsLib(rsArea), ""},
}

func TestWeakenedRust(t *testing.T) {
	atLeast(t, rsAttacks, rsHarmless, 6, 4)
	t.Run("attack", func(t *testing.T) { runEdits(t, "src/area.rs", rsAttacks) })
	t.Run("harmless", func(t *testing.T) { runEdits(t, "src/area.rs", rsHarmless) })
}

// Helpers and loose assertions count in a file that is a test as a whole.
func TestWeakenedRustTestFile(t *testing.T) {
	runEdits(t, "tests/area.rs", []edit{
		{"left blank", "#[test]\nfn a() { assert_eq!(f(), 4); }", " ", "emptied"},
	})
}
