"""The second implementation: every count of metrics/, and what closed arithmetic follows from it, in SQL over the published Parquet.

The counts say nothing of the stages' code: winners come from the column ``winner``, not from letters and sides, and the p-value is summed
from logarithms of factorials.
"""

from contextlib import chdir

import duckdb
import pytest

from tests.published import constructed_tables, counted, measured
from tests.small_record import small_record

Z = 1.959963984540054

PLANNED = """
    with planned as (
        select a.contestant as one, b.contestant as two, m.matter_id
        from 'data/tables/contestants.parquet' a join 'data/tables/contestants.parquet' b on a.contestant < b.contestant,
             'data/tables/matters.parquet' m),
    said as (
        select one, two, planned.matter_id, v.verdict, v.winner
        from planned left join 'data/tables/verdicts.parquet' v
            on v.matter_id = planned.matter_id and v.contestant_1 = one and v.contestant_2 = two),
    counts as (
        select one, two,
            count(*) filter (where winner = one)::double as w, count(*) filter (where winner = two)::double as l,
            count(*) filter (where winner = 'tie')::double as t, count(*) filter (where winner = 'both_inadequate')::double as b,
            count(*) filter (where verdict = 'unreadable') as unreadable,
            count(*) filter (where verdict is null) as missing, count(*) as planned,
            w + l as d, w + l + t + b as n
        from said group by one, two)
"""


@pytest.fixture(scope="module", params=["small", "s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"])
def made(request, tmp_path_factory):
    """Four records: the folder that holds their tables, and their metrics."""
    folder = tmp_path_factory.mktemp(request.param)
    with chdir(folder):
        if request.param == "small":
            return folder, counted(small_record())
        constructed_tables(request.param)
        return folder, measured()


@pytest.fixture
def metrics(made, monkeypatch):
    monkeypatch.chdir(made[0])
    return made[1]


def by_pair(select: str) -> dict:
    """What ``select`` says of each pair, by its name."""
    rows = duckdb.sql(f"{PLANNED} select one || '~' || two, {select} from counts order by one, two").fetchall()
    return {pair: tuple(numbers) for pair, *numbers in rows}


def test_the_counts_of_pairs(metrics):
    names = ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")
    assert {pair: tuple(tree[name] for name in names) for pair, tree in metrics["pairs"].items()} == by_pair(
        "w, l, t, b, n, unreadable, missing, planned"
    )


LEFT_OUT = {
    "as_delivered": "false",
    "without_blocked": "status in ('blocked', 'filtered')",
    "without_truncated": "status = 'truncated'",
    "without_reruns": "attempt > 1",
    "without_self_naming": "names_itself",
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_the_counts_of_scenarios(metrics, name):
    query = f"""{PLANNED}, struck as (select matter_id, contestant from 'data/tables/answers.parquet' where {LEFT_OUT[name]}),
        marked as (
            select said.*, exists (from struck where struck.matter_id = said.matter_id and struck.contestant in (one, two)) as gone from said)
        select one || '~' || two, count(*) filter (where winner = one and not gone), count(*) filter (where winner = two and not gone),
            count(*) filter (where winner = 'tie' and not gone), count(*) filter (where winner = 'both_inadequate' and not gone),
            count(winner) filter (where not gone), count(*) filter (where verdict = 'unreadable' and not gone),
            count(*) filter (where verdict is null and not gone), count(*) filter (where gone), count(*)
        from marked group by one, two order by one, two"""
    names = ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing", "left_out", "planned")
    found = metrics["scenarios"][name]["pairs"]
    assert {pair: tuple(tree[key] for key in names) for pair, tree in found.items()} == {
        pair: tuple(numbers) for pair, *numbers in duckdb.sql(query).fetchall()
    }


def test_the_counts_of_timing(metrics):
    query = """select a.contestant, m.series, count(*), count(*) filter (where a.started_at::date > m.published),
            count(*) filter (where a.started_at::date = m.published), count(*) filter (where a.started_at::date < m.published)
        from 'data/tables/attempts.parquet' a join 'data/tables/matters.parquet' m using (matter_id) where a.scored group by all"""
    names = ("answers", "public_before", "same_day", "public_after")
    found = {(who, series): tuple(own[key] for key in names)
             for who, tree in metrics["timing"]["contestants"].items() for series, own in tree["series"].items() if own["answers"]}  # fmt: skip
    duckdb.sql("set timezone = 'UTC'")
    assert found == {(who, series): tuple(numbers) for who, series, *numbers in duckdb.sql(query).fetchall()}


def test_the_counts_of_contestants(metrics):
    query = f"""{PLANNED}, sides as (
            select one as who, two as other, matter_id, verdict, winner from said
            union all select two, one, matter_id, verdict, winner from said)
        select who, count(*) filter (where winner = who), count(*) filter (where winner = other), count(*) filter (where winner = 'tie'),
            count(*) filter (where winner = 'both_inadequate'), count(winner), count(*) filter (where verdict = 'unreadable'),
            count(*) filter (where verdict is null), count(*)
        from sides group by who order by who"""
    names = ("wins", "losses", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")
    contestants = {who: tree for who, tree in metrics["scores"].items() if not who.endswith("_ranking")}
    assert {who: tuple(tree[name] for name in names) for who, tree in contestants.items()} == {
        who: tuple(numbers) for who, *numbers in duckdb.sql(query).fetchall()
    }


def test_rates_and_scores(metrics):
    wilson = "{{'lo': ({0} + {z}*{z}/2 - {z}*sqrt({0}*(n-{0})/n + {z}*{z}/4)) / (n + {z}*{z})}}"
    query = ", ".join(
        ["(w - l) / n", "w / nullif(d, 0)", "(w + t/2) / nullif(w + l + t, 0)", "(w + (t + b)/2) / n", "t / n", "b / n"]
        + [wilson.format(count, z=Z) + ".lo" for count in ("t", "b")]
    )
    names = ("net_difference", "decisive_share", "ties_half", "ties_half_inadequate_as_ties", "tie_rate", "both_inadequate_rate")
    for pair, (*values, ties_lo, both_lo) in by_pair(query).items():
        tree = metrics["pairs"][pair]
        found = [tree.get(name, {}).get("value") for name in names]
        assert found == [None if value is None else pytest.approx(value, abs=6e-7) for value in values]
        assert tree["tie_rate"]["interval"]["lo"] == pytest.approx(ties_lo, abs=6e-7)
        assert tree["both_inadequate_rate"]["interval"]["lo"] == pytest.approx(both_lo, abs=6e-7)


def test_p_values_and_their_correction(metrics):
    query = f"""{PLANNED}, tested as (
            select one, two, least(1.0, (
                select 2 * sum(exp(lgamma(d + 1) - lgamma(k + 1) - lgamma(d - k + 1) + d * ln(0.5)))
                from (select unnest(range(0, least(w, l)::bigint + 1)) as k))) as p
            from counts),
        stepped as (
            select *, p * (count(*) over () + 1 - row_number() over (order by p, one, two)) as step,
                row_number() over (order by p, one, two) as place
            from tested)
        select one || '~' || two, p, least(1.0, max(step) over (order by place)) from stepped"""
    for pair, p, p_holm in duckdb.sql(query).fetchall():
        test = metrics["pairs"][pair]["sign_test"]
        assert (test["p"], test["p_holm"]) == pytest.approx((p, p_holm), rel=6e-6)


def test_one_matter_left_out(metrics):
    query = f"""{PLANNED},
        scored as (select *, (winner = one)::int - (winner = two)::int as point from said where winner is not null),
        without as (
            select one, two, sum(point) over pair - point as net, count(*) over pair - 1 as left_over
            from scored window pair as (partition by one, two))
        select one || '~' || two, min(net / left_over), max(net / left_over) from without where left_over > 0 group by one, two"""
    known = {pair: tuple(ends) for pair, *ends in duckdb.sql(query).fetchall()}
    for pair, tree in metrics["pairs"].items():
        found = tree["fragility"].get("without_one", {}).get("net_difference")
        assert (found is None) == (pair not in known)
        if found:
            assert (found["lo"], found["hi"]) == pytest.approx(known[pair], abs=6e-7)
        assert tree["fragility"]["to_erase"] == abs(tree["wins_1"] - tree["wins_2"])


def test_what_the_judge_said_and_who_stood_where(metrics):
    words = dict(duckdb.sql("select verdict, count(*) from 'data/tables/verdicts.parquet' group by 1").fetchall())
    assert {word: count for word, count in metrics["judge"]["verdicts"].items() if count} == words
    a, decisive = duckdb.sql(
        "select count(*) filter (where verdict = 'A'), count(*) filter (where verdict in ('A', 'B')) from 'data/tables/verdicts.parquet'"
    ).fetchall()[0]
    assert (metrics["judge"]["a_share"]["a"], metrics["judge"]["a_share"]["decisive"]) == (a, decisive)
    sides = duckdb.sql("""
        select c.contestant, count(*) filter (where answer_a_was = c.contestant), count(*) filter (where answer_b_was = c.contestant)
        from 'data/tables/contestants.parquet' c left join 'data/tables/assignments.parquet' a
            on c.contestant in (answer_a_was, answer_b_was) group by 1""").fetchall()
    assert {name: (side["times_a"], side["times_b"]) for name, side in metrics["judge"]["balance"].items()} == {
        name: (as_a, as_b) for name, as_a, as_b in sides
    }


def test_rejected_points_and_flags(metrics):
    points = duckdb.sql("""
        select c.contestant, count(point), count(*) filter (where changes_course)
        from 'data/tables/contestants.parquet' c left join 'data/tables/rejected_points.parquet' using (contestant) group by 1""")
    assert {name: (tree["points"], tree["changes_course"]) for name, tree in metrics["judge"]["rejected_points"].items()} == {
        name: (found, changing) for name, found, changing in points.fetchall()
    }
    for flag in ("names_itself", "addresses_the_judge"):
        known = duckdb.sql(f"""
            select (select count(*) from 'data/tables/answers.parquet' where {flag}),
                (select count(*) from 'data/tables/verdicts.parquet' v where exists (
                    select 1 from 'data/tables/answers.parquet' a
                    where a.matter_id = v.matter_id and a.contestant in (v.contestant_1, v.contestant_2) and {flag}))""").fetchall()[0]
        assert (metrics["judge"][flag]["answers"], metrics["judge"][flag]["verdicts"]) == known


def test_who_won_where_it_stood_and_whose_answer_was_longer(metrics):
    sides = duckdb.sql("""
        select contestant, count(*) filter (where answer_a_was = contestant), count(*) filter (where answer_b_was = contestant)
        from 'data/tables/contestants.parquet' join 'data/tables/verdicts.parquet' on contestant in (contestant_1, contestant_2)
        where verdict in ('A', 'B') group by 1""").fetchall()
    known = {name: (as_a, as_b) for name, as_a, as_b in sides}
    found = {name: (side["decisive_as_a"], side["decisive_as_b"]) for name, side in metrics["judge"]["balance"].items()}
    assert {name: counts for name, counts in found.items() if any(counts)} == known
    won = duckdb.sql("""select winner, count(*) filter (where answer_a_was = winner), count(*) filter (where answer_b_was = winner)
        from 'data/tables/verdicts.parquet' where verdict in ('A', 'B') group by 1""").fetchall()
    found = {name: (side["won_as_a"], side["won_as_b"]) for name, side in metrics["judge"]["balance"].items()}
    assert {name: counts for name, counts in found.items() if any(counts)} == {name: (as_a, as_b) for name, as_a, as_b in won}
    lengths = duckdb.sql("""
        select count(*) filter (where length(w.text) > length(l.text)), count(*) filter (where length(w.text) = length(l.text)), count(*)
        from 'data/tables/verdicts.parquet' v join 'data/tables/answers.parquet' w on w.matter_id = v.matter_id and w.contestant = winner
            join 'data/tables/answers.parquet' l on l.matter_id = v.matter_id and l.contestant <> winner
                and l.contestant in (contestant_1, contestant_2)""").fetchall()
    assert [tuple(metrics["judge"]["longer_won"][name] for name in ("longer", "equal", "decisive"))] == lengths


def test_what_contradicts_and_what_is_rejected(metrics):
    judge = metrics["judge"]
    flags = duckdb.sql("""
        with carried as (select verdict_id, bool_or(changes_course) as any_of_them, list(distinct contestant) filter (where changes_course) as whose
                         from 'data/tables/rejected_points.parquet' group by 1)
        select count(*) filter (where material_difference is not null),
            count(*) filter (where verdict in ('A', 'B') and not material_difference),
            count(*) filter (where verdict = 'tie' and material_difference), count(*) filter (where verdict = 'tie' and any_of_them),
            count(*) filter (where verdict in ('A', 'B') and whose = [winner])
        from 'data/tables/verdicts.parquet' left join carried using (verdict_id)""").fetchall()
    kinds = ("winner_without_material_difference", "tie_with_material_difference", "tie_despite_a_point_that_changes_the_course")
    found = judge["against_its_reasons"]
    last = found["kinds"]["winner_whose_course_rests_on_a_rejected_point"]
    assert [(found["n"], *(found["kinds"][kind] for kind in kinds), last)] == flags
    burden = duckdb.sql("""
        with judged as (select matter_id, unnest([contestant_1, contestant_2]) as contestant, verdict_id from 'data/tables/verdicts.parquet'
                        where verdict <> 'unreadable'),
        answered as (select contestant, matter_id, count(distinct verdict_id) as verdicts, count(point) as points
                     from judged left join 'data/tables/rejected_points.parquet' using (verdict_id, matter_id, contestant) group by 1, 2)
        select contestant, count(*), sum(verdicts), sum(points), avg(points / verdicts) from answered group by 1""").fetchall()
    for name, answers, verdicts, points, mean in burden:
        own = judge["review_burden"]["contestants"][name]
        assert (own["answers"], own["verdicts"], own["points"]) == (answers, verdicts, points)
        assert own["mean"] == pytest.approx(mean, abs=6e-7)


def test_coverage(metrics):
    coverage = metrics["coverage"]
    tables = ("matters", "answers", "verdicts", "calls")
    counts = {name: duckdb.sql(f"select count(*) from 'data/tables/{name}.parquet'").fetchall()[0][0] for name in tables}
    assert (coverage["matters"], coverage["calls"]) == (counts["matters"], counts["calls"])
    assert (coverage["answers"]["recorded"], coverage["verdicts"]["recorded"]) == (counts["answers"], counts["verdicts"])
    statuses = duckdb.sql("select contestant, status, count(*) from 'data/tables/answers.parquet' group by 1, 2").fetchall()
    assert {(name, status): n for name, own in coverage["contestants"].items() for status, n in own["status"].items() if n} == {
        (name, status): n for name, status, n in statuses
    }
    prompt, completion, replies = duckdb.sql("""
        select coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), count(*) filter (where replies > 1)
        from 'data/tables/calls.parquet'""").fetchall()[0]
    assert (coverage["tokens"]["prompt"], coverage["tokens"]["completion"]) == (prompt, completion)
    assert coverage["requests_with_two_replies"] == replies
