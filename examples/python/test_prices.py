import unittest
from decimal import Decimal

from prices import parse


class ParseTest(unittest.TestCase):
    def test_reads_prices(self):
        self.assertEqual(parse("12.50"), Decimal("12.50"))
        self.assertEqual(parse(" 3 "), Decimal("3"))

    def test_refuses_anything_else(self):
        for text in ("", "twelve", "1.2.3", "-4"):
            with self.assertRaises(ValueError, msg=text):
                parse(text)


if __name__ == "__main__":
    unittest.main()
