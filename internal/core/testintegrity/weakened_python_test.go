package testintegrity

import (
	"strings"
	"testing"
)

const pyBank = `import pytest
from bank import Account


def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert account.log == ["deposit"]


@pytest.fixture
def rich():
    return Account(1000)


class TestLimits:
    def test_overdraft(self, rich):
        with pytest.raises(ValueError):
            rich.withdraw(2000)
        assert rich.balance == 1000
`

const pyDeposit = `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert account.log == ["deposit"]
`

const pyLimits = `
class TestLimits:
    def test_overdraft(self, rich):
        with pytest.raises(ValueError):
            rich.withdraw(2000)
        assert rich.balance == 1000
`

const pyUnit = `
class BankCase(unittest.TestCase):
    def test_interest(self):
        self.assertEqual(interest(100), 7)
        self.assertIn("rate", describe())
`

// pyTwins has two classes with a test of the same name.
func pyTwins(one, two string) string {
	return "class TestOne:\n    def test_a(self):\n    " + one + "\nclass TestTwo:\n    def test_a(self):\n    " + two + "\n"
}

var pyHarmless = []edit{
	{"new file", "-", pyBank, ""},
	{"test added", pyBank, pyBank + "\ndef test_more():\n    assert more(1) == 2\n", ""},
	{"test renamed", pyBank, pyLimits + `
def test_deposit_is_logged():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert account.log == ["deposit"]
`, ""},
	{"class renamed", pyBank, pyDeposit + `
class TestOverdraft:
    async def test_overdraft(self, rich):
        with pytest.raises(ValueError):
            rich.withdraw(2000)
        assert rich.balance == 1000
`, ""},
	{"into a class", pyBank, `
class TestDeposit(Base):
    def test_deposit(self):
        account = Account()
        account.deposit(50)
        assert account.balance == 50
        assert account.log == ["deposit"]
` + pyLimits, ""},
	{"parametrized", `
def test_add():
    assert add(10, 20) == 30
    assert add(5, 6) == 11
    assert add(7, 8) == 15
`, `
@pytest.mark.parametrize("a, b, c", [(10, 20, 30), (5, 6, 11), (7, 8, 15)])
def test_add(a, b, c):
    assert add(a, b) == c
`, ""},
	{"classes of the same tests reordered", pyTwins("    assert one(1) == 2\n        assert one(3) == 4", "    assert two(5) == 6"),
		"class TestTwo:\n    def test_a(self):\n        assert two(5) == 6\nclass TestOne:\n    def test_a(self):\n        assert one(1) == 2\n        assert one(3) == 4\n", ""},
	{"messages dropped by a table", "def test_a():\n    assert f(10) == 20, 'ten'\n    assert f(5) == 6, 'five'\n",
		"def test_a():\n    for a, b in [(10, 20), (5, 6)]:\n        assert f(a) == b\n", ""},
	{"flag that is false", pyBank, strings.Replace(pyBank, "    account.deposit", "    flag = False\n    account.deposit", 1), ""},
	{"loop that does not end", pyBank, strings.Replace(pyBank, "    account.deposit", "    while True: break\n    account.deposit", 1), ""},
	{"as a loop", `
def test_add():
    assert add(10, 20) == 30
    assert add(5, 6) == 11
`, `
def test_add():
    for a, b, c in [(10, 20, 30), (5, 6, 11)]:
        assert add(a, b) == c
`, ""},
	{"helper extracted", pyBank, `
def check_log(account):
    assert account.balance == 50
    assert account.log == ["deposit"]

def test_deposit():
    account = Account()
    account.deposit(50)
    check_log(account)
` + pyLimits, ""},
	{"method of its own", pyUnit, `
class BankCase(unittest.TestCase):
    def rate(self):
        self.assertEqual(interest(100), 7)
        self.assertIn("rate", describe())
    def test_interest(self):
        self.rate()
`, ""},
	{"other framework", pyUnit, `
class TestBank:
    def test_interest(self):
        assert interest(100) == 7
        assert "rate" in describe()
`, ""},
	{"over several lines", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(
        50
    )
    assert (
        account.balance == 50
    )
    assert account.log == \
        ["deposit"]
` + pyLimits, ""},
	{"words in strings and comments", "def test_a():\n    assert f() == 'assert x'  # assert y\n",
		"def test_a():\n    assert f() == '@pytest.mark.skip'  # pytest.skip()\n", ""},
	{"guard with a return", pyBank, `
def test_deposit():
    account = Account()
    if account is None:
        return
    account.deposit(50)
    assert account.balance == 50
    assert account.log == ["deposit"]
` + pyLimits, ""},
	{"new test for one platform", pyBank, pyBank + "\n@pytest.mark.skipif(WINDOWS, reason='x')\ndef test_new():\n    assert new(4) == 5\n", ""},
	{"new test that may skip", pyBank, pyBank + "\ndef test_new():\n    if WINDOWS:\n        pytest.skip('x')\n    assert new(4) == 5\n", ""},
	{"empty test removed", pyBank + "\ndef test_todo():\n    pass\n", pyBank, ""},
	{"raw and formatted strings", "def test_a():\n    assert re.match(r'\\'', x) == f'{y}'\n    assert b\"a\" == z\n",
		"def test_a():\n    assert re.match(R\"'\", x) == F'{y}'\n    assert B'a' == z\n", ""},
	{"assertion error raised by a helper", "def test_a():\n    assert f(11) == 12\n",
		"def same(a, b):\n    if a != b:\n        raise AssertionError(a)\ndef test_a():\n    same(f(11), 12)\n", ""},
}

func TestWeakenedPython(t *testing.T) {
	atLeast(t, pyAttacks, pyHarmless, 12, 8)
	t.Run("attack", func(t *testing.T) { runEdits(t, "tests/test_bank.py", pyAttacks) })
	t.Run("harmless", func(t *testing.T) { runEdits(t, "tests/test_bank.py", pyHarmless) })
}
