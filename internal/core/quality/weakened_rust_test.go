package quality

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
	{"test module removed", rsLib(rsArea + rsPanics), rsProduct, "removed removed"},
	{"test removed", rsLib(rsArea + rsPanics), rsLib(rsArea), "removed"},
	{"attribute removed", rsLib(rsArea + rsPanics), rsLib(rsArea + `
    #[should_panic(expected = "zero")]
    fn area_of_nothing() {
        area(0, 9);
    }
`), "removed"},
	{"test commented out", rsLib(rsArea + rsPanics), rsLib(rsArea + "/* /* nested */" + rsPanics + "*/"), "removed"},
	{"ignore", rsLib(rsArea + rsPanics), rsLib("#[ignore]" + rsArea + rsPanics), "skipped"},
	{"ignore with a reason", rsLib(rsArea), rsLib("#[ignore = \"slow\"]" + rsArea), "skipped"},
	{"ignore under cfg_attr", rsLib(rsArea), rsLib("#[cfg_attr(ci, ignore)]" + rsArea), "skipped"},
	{"cfg on the test", rsLib(rsArea + rsPanics), rsLib("#[cfg(feature = \"slow\")]" + rsArea + rsPanics), "skipped"},
	{"cfg on the module", rsLib(rsArea), rsProduct + "#[cfg(all(test, never))]\nmod tests {\n" + rsArea + "}", "skipped"},
	{"module switched off", rsLib(rsArea), rsProduct + "#[cfg(any())]\nmod tests {\n" + rsArea + "}", "skipped"},
	{"module declaration removed", rsProduct + "#[cfg(test)]\nmod checks;\n", rsProduct, "removed"},
	{"assertion removed", rsLib(rsArea), rsLib(`
    #[test]
    fn area_of_square() {
        assert_eq!(area(5, 5), 25);
    }
`), "weakened"},
	{"should_panic removed", rsLib(rsPanics), rsLib(`
    #[test]
    fn area_of_nothing() {
        area(0, 9);
    }
`), "weakened"},
	{"assert!(true)", rsLib(rsArea), rsLib(`
    #[test]
    fn area_of_square() {
        assert_eq!(area(5, 5), 25);
        assert!(true);
    }
`), "weakened weakened"},
	{"constants compared", rsLib(rsArea), rsLib(`
    #[test]
    fn area_of_square() {
        assert_eq!(area(5, 5), 25);
        assert_eq!(12, 12);
    }
`), "weakened weakened"},
	{"value became is_ok", rsLib(`
    #[tokio::test]
    async fn loads() { assert_eq!(load("a").await, Ok(4)); }
`), rsLib(`
    #[tokio::test]
    async fn loads() { assert!(load("a").await.is_ok()); }
`), "weakened"},
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
	{"case removed", rsLib("#[test]\nfn a() { for (x, y) in [(10, 20), (5, 6), (7, 8)] { assert_eq!(f(x), y); } }\n"),
		rsLib("#[test]\nfn a() { for (x, y) in [(10, 20), (7, 8)] { assert_eq!(f(x), y); } }\n"), "weakened"},
	{"panic caught", rsLib(rsArea), rsLib(`
    #[test]
    fn area_of_square() {
        let _ = std::panic::catch_unwind(|| {
            assert_eq!(area(5, 5), 25);
            assert_ne!(area(2, 6), 13);
        });
    }
`), "weakened"},
	{"loss hidden by a new test", rsLib(rsArea), rsLib(`
    #[test]
    fn area_of_square() {
        assert_eq!(area(5, 5), 25);
    }
    #[test]
    fn easy() {
        assert_eq!("a".len(), 1);
        assert_eq!("ab".len(), 2);
    }
`), "weakened"},
	{"run ended with success", rsLib(rsArea), rsLib(`
    #[test]
    fn area_of_square() {
        std::process::exit(0);
        assert_eq!(area(5, 5), 25);
        assert_ne!(area(2, 6), 13);
    }
`), "skipped"},
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
		{"helper hollowed out", "fn same(a: u32) { assert_eq!(a, 4); }\n#[test]\nfn a() { same(f()); }",
			"fn same(a: u32) { drop(a); }\n#[test]\nfn a() { same(f()); }", "weakened"},
		{"left blank", "#[test]\nfn a() { assert_eq!(f(), 4); }", " ", "emptied"},
	})
}
