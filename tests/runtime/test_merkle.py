"""Roots and paths against the known answers of RFC 6962, and against each other."""

from __future__ import annotations

import hashlib

import pytest

from runtime import merkle

# The leaves and heads that implementations of RFC 6962 test themselves with.
LEAVES = [
    bytes.fromhex(each)
    for each in (
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]  # fmt: skip
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize("size", list(ROOTS))
def test_a_root_is_the_one_that_everybody_computes(size):
    assert merkle.root(LEAVES[:size]) == ROOTS[size]


@pytest.mark.parametrize("size", range(1, 20))
def test_every_leaf_has_a_path_to_the_root(size):
    leaves = [bytes([number]) for number in range(size)]

    roots = {merkle.root_from(leaf, merkle.path(leaves, at)) for at, leaf in enumerate(leaves)}

    assert roots == {merkle.root(leaves)}


def test_another_leaf_does_not_get_there_by_the_same_path():
    leaves = LEAVES[:5]

    for at in range(5):
        assert merkle.root_from(b"other", merkle.path(leaves, at)) != merkle.root(leaves)


def test_a_node_is_no_leaf():
    left, right = (hashlib.sha256(b"\x00" + leaf).digest() for leaf in LEAVES[:2])

    assert merkle.root([left + right]) != merkle.root(LEAVES[:2])
