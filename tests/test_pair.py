"""The pair stage: every pair of contestants on every matter, once, in an order that does not depend on how they were listed."""

from hypothesis import given
from hypothesis import strategies as st

from stages.pair import pairings

NAMES = st.lists(st.text("abc", min_size=1), unique=True, max_size=6)
IDS = st.lists(st.sampled_from([f"Q{n:02}" for n in range(30)]), unique=True, max_size=6)


@given(IDS, NAMES)
def test_there_are_c_n_2_pairings_per_matter(ids, contestants):
    found = pairings(ids, contestants)
    assert len(found) == len(ids) * len(contestants) * (len(contestants) - 1) // 2
    assert len({p.pairing_id for p in found}) == len(found)
    assert all(p.contestant_1 < p.contestant_2 for p in found)


@given(IDS, NAMES)
def test_the_order_of_the_lists_does_not_matter(ids, contestants):
    assert pairings(reversed(ids), reversed(contestants)) == pairings(ids, contestants)


@given(IDS, NAMES)
def test_a_new_contestant_adds_only_its_own_pairings(ids, contestants):
    before, after = pairings(ids, contestants), pairings(ids, [*contestants, "newcomer"])
    assert [p for p in after if "newcomer" not in (p.contestant_1, p.contestant_2)] == before
    assert len(after) - len(before) == len(ids) * len(contestants)
