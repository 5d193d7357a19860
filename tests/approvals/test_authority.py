from __future__ import annotations

import pytest

from approvals.authority import Limit, NoLimit, OverLimit, Usage, shortfall

REVIEWERS = Limit(group="reviewers", limit_minor=1000, day_limit_minor=5000)
SENIORS = Limit(group="seniors", limit_minor=10_000, day_limit_minor=50_000)
BOARD = Limit(group="board", limit_minor=None, day_limit_minor=None)
ALL = (REVIEWERS, SENIORS, BOARD)


@pytest.mark.parametrize(
    ("amount", "order", "day", "groups", "lacking"),
    [
        (1000, 0, 0, {"reviewers"}, None),
        (1001, 0, 0, {"reviewers"}, OverLimit(needs=("board", "seniors"))),
        (400, 600, 0, {"reviewers"}, None),
        (401, 600, 0, {"reviewers"}, OverLimit(needs=("board", "seniors"))),
        (1, 0, 4999, {"reviewers"}, None),
        (1, 0, 5000, {"reviewers"}, OverLimit(needs=("board", "reviewers", "seniors"))),
        (1001, 0, 0, {"reviewers", "seniors"}, None),
        (1, 0, 5000, {"reviewers", "seniors"}, None),
        (99_999_999, 99_999_999, 99_999_999, {"board"}, None),
        (1, 0, 0, set(), NoLimit()),
        (1, 0, 0, {"strangers"}, NoLimit()),
    ],
)
def test_a_limit_holds_for_the_amount_the_order_and_the_day(amount, order, day, groups, lacking):
    usage = Usage(order_minor=order, day_minor=day)

    assert shortfall(amount, usage, ALL, groups) == lacking


def test_without_a_row_nobody_has_authority():
    assert shortfall(1, Usage(), (), {"reviewers", "seniors"}) == NoLimit()


def test_a_limit_of_nothing_is_a_limit():
    none = Limit(group="reviewers", limit_minor=0, day_limit_minor=None)

    assert shortfall(1, Usage(), [none], {"reviewers"}) == OverLimit(needs=())


def test_one_row_must_suffice_for_order_and_day_alike():
    wide_order = Limit(group="a", limit_minor=1000, day_limit_minor=10)
    wide_day = Limit(group="b", limit_minor=10, day_limit_minor=1000)

    assert shortfall(500, Usage(), [wide_order, wide_day], {"a", "b"}) == OverLimit(needs=("a",))
