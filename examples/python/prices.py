"""Prices as people write them."""

from decimal import Decimal


def parse(text: str) -> Decimal:
    """Read a price such as "12.50"; anything else is a ValueError."""
    digits = text.strip()
    whole, _, cents = digits.partition(".")
    if not whole.isdecimal() or (cents and not cents.isdecimal()):
        raise ValueError(f"not a price: {text!r}")
    return Decimal(digits)
