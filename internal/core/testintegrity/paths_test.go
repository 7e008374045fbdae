package testintegrity

import "testing"

func TestReads(t *testing.T) {
	for path, want := range map[string]bool{
		"a_test.go": true, "src/a.rs": true, "tests/conftest.py": true, "a_spec.rb": true, "a.go": false, "a.py": false, "README.md": false,
	} {
		if Reads(path) != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}

func TestIsTest(t *testing.T) {
	for _, path := range []string{
		"a_test.go", "internal/x/a_test.go", `internal\x\a_test.go`,
		"src/a.test.ts", "src/a.spec.jsx", "src/__tests__/a.js", "a_test.ts", "e2e/login.cy.ts",
		"test_a.py", "pkg/a_test.py", "tests/a.py", "tests/unit/deep/a.py", "app/tests.py",
		"tests/a.rs", "src/a_test.rs", "src/parser/tests.rs", "tests/common/mod.rs",
		"src/test/java/a/Helper.java", "src/A/PriceTest.java", "PriceTests.java", "PriceIT.java", "TestPrice.java",
		"src/test/kotlin/Price.kt", "PriceTest.kt", "src/androidTest/java/Ui.java", "src/commonTest/kotlin/X.kt",
		"spec/a_spec.rb", "test/a_test.rb", "lib/a_spec.rb", "App.Tests/Helper.cs", "PriceTests.cs",
		"tests/PriceTest.php", "PriceTest.php", "Tests/AppTests/PriceTests.swift", "PriceTests.swift",
		"a.bats", "test/run.sh", "spec/support.rb", "test/a.c", "features/login.feature",
		"testdata/script/run.txtar", "cmd/x/testdata/script/deep/run.txt", "testdata/scripts/run.txtar",
	} {
		if !IsTest(path) {
			t.Errorf("%s is a test", path)
		}
	}
	for _, path := range []string{
		"", "a.go", "a_test.txt", "testing.go", "contest.py", "src/latest.ts", "attest.rb",
		"conftest.py", "tests/conftest.py", "tests/__init__.py",
		"testdata/a_test.go", "vendor/x/a_test.go", "node_modules/x/a.test.js", "_old/a_test.go", ".cache/a_test.go", "_a_test.go", "x/.a_test.go",
		"testdata/input.txt", "testdata/run.txtar", "testdata/script/run.go",
		"src/__snapshots__/a.test.ts.snap", "tests/__snapshots__/a.js", "tests/fixtures/a.py", "tests/data.json", "tests/README.md",
		"src/test/resources/Data.java", "src/lib.rs", "src/main/java/Price.java", "Makefile", "tests", "a.test", ".test.js",
	} {
		if IsTest(path) {
			t.Errorf("%s is no test", path)
		}
	}
}

func TestIsTestData(t *testing.T) {
	for path, want := range map[string]bool{
		"testdata/a.txt": true, "x/fixtures/a.json": true, "tests/data.json": true, "a.snap": true, "tests/conftest.py": true, "src/__snapshots__/a.js.snap": true,
		"a.go": false, "tests/README.md": false, "vendor/x/testdata/a": false, "": false, "testdata/": false, "snapshots/a.sql": false, "tests/snapshots/a.sql": true,
	} {
		if IsTestData(path) != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}
