"""Verdicts as arrays for a fit: who met whom, on which matter, and who won; and whether any strengths can explain them at all."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

from stages.stats.clustered import Floats, Ints
from stages.stats.counts import Verdicts, outcome

_SHARES = {"wins_1": 1.0, "ties": 0.5, "wins_2": 0.0}


@dataclass(frozen=True)
class Contests:
    """The verdicts that order two answers, one entry each. n + both_inadequate + unreadable = the verdicts there are.

    one, two: indices into ``names``. share: 1 where one won, 0 where two won, 0.5 at a tie. matter: from 0 to matters - 1.
    """

    names: tuple[str, ...]
    matter: Ints
    one: Ints
    two: Ints
    share: Floats
    both_inadequate: int
    unreadable: int

    @property
    def n(self) -> int:
        return len(self.share)

    @property
    def matters(self) -> int:
        """Matters with at least one such verdict."""
        return int(self.matter.max()) + 1 if self.n else 0

    @property
    def ties(self) -> int:
        return int((self.share == 0.5).sum())

    @property
    def decisive(self) -> int:
        return self.n - self.ties


def contests(verdicts: Verdicts, contestants: Iterable[str]) -> Contests:
    """The contests among ``contestants``, in alphabetical order. Both inadequate and unreadable ones are counted and left out.

    Raises ValueError for a verdict on somebody else.
    """
    names = tuple(sorted(set(contestants)))
    place = {name: index for index, name in enumerate(names)}
    for name in sorted({*verdicts.contestant_1, *verdicts.contestant_2} - place.keys()):
        raise ValueError(f"there is a verdict on contestant {name!r}, which is not planned")
    columns = (verdicts.contestant_1, verdicts.answer_a_was, verdicts.answer_b_was, verdicts.verdict)
    found = [outcome(*row) for row in zip(*columns, strict=True)]
    used = [index for index, word in enumerate(found) if word in _SHARES]
    order = {matter: index for index, matter in enumerate(sorted({verdicts.matter_id[index] for index in used}))}
    return Contests(
        names,
        np.array([order[verdicts.matter_id[index]] for index in used], dtype=np.intp),
        np.array([place[verdicts.contestant_1[index]] for index in used], dtype=np.intp),
        np.array([place[verdicts.contestant_2[index]] for index in used], dtype=np.intp),
        np.array([_SHARES[found[index]] for index in used], dtype=np.float64),
        both_inadequate=found.count("both_inadequate"),
        unreadable=found.count("unreadable"),
    )


def without_bound(found: Contests) -> str | None:
    """Why no finite strengths explain these wins and ties best; None where some do.

    Ford (1957) for Bradley and Terry, Davidson (1970) with ties: everybody must reach everybody over "won against or tied with".
    """
    if len(found.names) < 2:
        return "there are fewer than two contestants"
    if not found.decisive:
        return "no verdict is decisive, so nothing orders the contestants"
    _, group = connected_components(_reach(found), directed=True, connection="strong")
    if group.max() == 0:
        return None
    for lowest in sorted(set(group)):
        inside = group == lowest
        if not _reach(found).toarray()[inside][:, ~inside].any():
            below, above = (_listed(found, mask) for mask in (inside, ~inside))
            return f"{below} never won against or tied with {above}, so the distance between them has no bound"
    raise AssertionError("a graph of groups without circles has a lowest one")


def ladder(found: Contests) -> str | None:
    """Why Davidson's tie parameter has no bound although every strength is connected; None where it has one or there is no tie.

    Strengths and tie parameter may grow together for ever exactly if the contestants fit on a ladder on which every win spans at least
    one step and every tie at most one: then the likelihood only rises. (The direction of recession of this exponential family, written
    as differences; they can be met unless some circle has more wins than ties, which is a negative circle in the graph below.)
    """
    if not found.ties:
        return None
    steps: dict[tuple[int, int], float] = {}
    for one, two, share in zip(found.one.tolist(), found.two.tolist(), found.share.tolist(), strict=True):
        for up, down, won in ((one, two, share), (two, one, 1 - share)):
            if won > 0:  # a win: down <= up - 1; a tie: down <= up + 1
                steps[up, down] = min(steps.get((up, down), 1.0), -1.0 if won == 1 else 1.0)
    places, size = list(steps), len(found.names)
    graph = csr_matrix((list(steps.values()), ([up for up, _ in places], [down for _, down in places])), shape=(size, size))
    try:
        bellman_ford(graph, directed=True, indices=0)  # connected, so one start sees every circle
    except NegativeCycleError:
        return None
    return "the contestants fit on a ladder, every win at least a step apart and every tie at most one, so the tie parameter has no bound"


def _reach(found: Contests) -> csr_matrix:
    """An edge from i to j where i won against j or tied with it."""
    size = len(found.names)
    up = np.concatenate([found.one[found.share > 0], found.two[found.share < 1]])
    down = np.concatenate([found.two[found.share > 0], found.one[found.share < 1]])
    return csr_matrix((np.ones(len(up)), (up, down)), shape=(size, size))


def _listed(found: Contests, mask: Ints) -> str:
    return ", ".join(name for name, chosen in zip(found.names, mask, strict=True) if chosen)
