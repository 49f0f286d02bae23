"""metrics/disclosures.json: for every kind one record in which its fact is present, and one in which it is absent."""

import dataclasses
import re

import pytest

from stages.schema.orders import RerunOrder
from stages.schema.rows import draw
from tests.published import counted
from tests.small_record import MATTERS, NAMES, SEED, WINNERS, attempt, designed_record, small_record, verdict

ORDER = RerunOrder(
    "rerun", "the reply was cut off", "A. Author", "2026-11-30T09:00:00.000Z", "birch", "Q01", 2, small_record().attempts[1].request_sha256
)


def told(**lists):
    """The disclosures of the small record with some of its lists replaced: a function takes the list and gives the new one.

    Unless they are replaced too, the verdicts are on the texts as they are then.
    """
    rows = small_record()
    rows = dataclasses.replace(rows, **{name: change(getattr(rows, name)) for name, change in lists.items()})
    if "verdicts" not in lists:
        rows = dataclasses.replace(rows, verdicts=verdicts_on(rows.assignments, rows.attempts))
    return counted(rows)["disclosures"]


def verdicts_on(assignments, attempts):
    return [verdict(a, WINNERS[a.pairing_id], attempts) for a in assignments if a.pairing_id in WINNERS]


def told_of_a_whole_record():
    """The disclosures of a record with all nine answers, each complete, and with every side as it is drawn."""
    attempts = [attempt(matter_id, name) for matter_id in MATTERS for name in NAMES]
    sides = [draw(SEED, p, ordinal=0) for p in small_record().pairings]
    whole = dataclasses.replace(
        small_record(), attempts=attempts, assignments=sides, verdicts=verdicts_on(sides, attempts), answer_orders=[]
    )
    return counted(whole)["disclosures"]


def all_with(**changes):
    return lambda attempts: [dataclasses.replace(a, **changes) for a in attempts]


def one_with(matter_id, contestant, **changes):
    """The attempts with one of them changed."""
    return lambda attempts: [
        dataclasses.replace(a, **changes) if (a.matter_id, a.contestant) == (matter_id, contestant) else a for a in attempts
    ]


def digest_of(text):
    return attempt("Q01", "alder", text=text).text_sha256


def test_every_disclosure_is_a_sentence_under_an_id():
    for kind, sentences in told().items():
        assert sentences, kind
        for name, sentence in sentences.items():
            assert set(name) <= set(".~_-abcdefghijklmnopqrstuvwxyz0123456789ABQ:"), name
            assert re.fullmatch(r"[A-Z0-9a-z][^\n]*\.", sentence), sentence


# --- interruptions: which layer stopped it, where the reply says so

ENDINGS = {
    "truncated": (
        {"status": "truncated", "finish_reason": "length"},
        "The token limit cut off 1 answer of cedar (finish reason length)",
    ),
    "truncated before any text": (
        {"status": "truncated", "finish_reason": "length", "text": ""},
        "The token limit cut off 1 answer of cedar before any text (finish reason length)",
    ),
    "filtered by nobody knows whom": (
        {"status": "filtered", "finish_reason": "content_filter"},
        "A content filter stopped 1 answer of cedar (finish reason content_filter; which layer did is unknown)",
    ),
    "filtered by the maker": (
        {"status": "filtered", "finish_reason": "content_filter", "provider_code": "SAFETY", "text": ""},
        "A content filter stopped 1 answer of cedar before any text (finish reason content_filter; the model's own provider says SAFETY)",
    ),
    "blocked": (
        {"status": "blocked", "finish_reason": None, "provider_code": "content_policy_violation", "text": ""},
        "Moderation refused the request for 1 answer of cedar, as the endpoint's error says (code content_policy_violation)",
    ),
    "blocked without a code": (
        {"status": "blocked", "finish_reason": None, "text": ""},
        "Moderation refused the request for 1 answer of cedar, as the endpoint's error says (without a code)",
    ),
    "refused": (
        {"status": "refused", "finish_reason": "stop"},
        "A field of the reply marks 1 answer of cedar as a refusal (finish reason stop)",
    ),
    "empty": (
        {"status": "empty", "finish_reason": "stop", "text": ""},
        "No text stands in 1 answer of cedar (finish reason stop; which layer kept it back is unknown)",
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_interruption_says_which_layer_where_the_reply_does(ending):
    change, words = ENDINGS[ending]
    change = {**change, "text_sha256": digest_of(change["text"])} if "text" in change else change
    found = told(attempts=one_with("Q01", "cedar", **change))["interruptions"]
    assert found[f"cedar:{change['status']}"] == f"{words}; scored as delivered: Q01."


def test_interruptions_of_one_kind_are_one_sentence_and_of_two_kinds_are_two():
    def cut(attempts):
        codes = {"Q01": None, "Q02": "SAFETY", "Q03": None}
        return [
            dataclasses.replace(a, status="filtered", finish_reason="content_filter", provider_code=codes[a.matter_id])
            if a.contestant == "cedar"
            else a
            for a in attempts
        ]

    found = told(attempts=cut)["interruptions"]
    assert found["cedar:filtered"].endswith("the model's own provider says SAFETY); scored as delivered: Q02.")
    assert found["cedar:filtered:2"].startswith("A content filter stopped 2 answers of cedar (")
    assert found["cedar:filtered:2"].endswith("unknown); scored as delivered: Q01 and Q03.")


def test_a_record_of_complete_answers_discloses_no_interruption():
    assert "interruptions" not in told_of_a_whole_record()


def test_a_providers_word_is_told_on_one_line_and_shortened():
    long = "SAFETY\n\x1b[2J" + "x" * 500
    found = told(attempts=one_with("Q01", "alder", status="filtered", provider_code=long))["interruptions"]["alder:filtered"]
    assert "\x1b" not in found
    assert "\n" not in found
    assert len(found) < 250


# --- reruns


def rerun(scored, **changes):
    """Birch's truncated answer to Q01, and a second attempt at it."""

    def change(attempts):
        first = [
            dataclasses.replace(a, scored=not scored, attempt_rule="completed_rerun")
            if (a.matter_id, a.contestant) == ("Q01", "birch")
            else a
            for a in attempts
        ]
        second = {"ordered_by": "A. Author", "reason": "cut off", "started_at": "2026-11-30T10:00:00.000Z", **changes}
        return [*first, attempt("Q01", "birch", attempt=2, scored=scored, attempt_rule="completed_rerun", **second)]

    return {"attempts": change, "rerun_orders": lambda _: [ORDER], "verdicts": lambda _: []}


def test_a_rerun_is_told_with_its_reason_and_its_rule():
    assert told(**rerun(scored=True))["reruns"] == {
        "Q01:birch:2": "Attempt 2 of birch at Q01 was ordered by A. Author on 2026-11-30, after attempt 1 was truncated."
        " Reason: the reply was cut off. It came complete and is the one that is scored (rule completed_rerun)."
    }


def test_a_rerun_that_is_not_scored_says_so():
    assert "It came truncated and is not scored" in told(**rerun(scored=False, status="truncated"))["reruns"]["Q01:birch:2"]


def test_a_call_that_began_before_its_order_says_so():
    found = told(**rerun(scored=True, started_at="2026-11-30T08:00:00.000Z"))["reruns"]["Q01:birch:2"]
    assert found.endswith("Its call began before the day and time of the order.")


def test_an_order_that_is_not_carried_out_yet_says_so():
    assert told(rerun_orders=lambda _: [ORDER])["reruns"]["Q01:birch:2"].endswith("Reason: the reply was cut off. It is not recorded.")


def test_an_order_about_another_text_of_the_matter_is_not_of_this_study():
    other = dataclasses.replace(ORDER, after_sha256="0" * 64)
    assert "reruns" not in told(rerun_orders=lambda _: [other])


def test_without_an_order_there_is_no_rerun_to_tell():
    assert "reruns" not in told()


def test_what_was_abandoned_is_no_rerun_and_a_rerun_is_not_abandoned():
    rows = small_record()
    found = counted(dataclasses.replace(rows, rerun_orders=[ORDER]))
    assert set(found["coverage"]["abandoned"]) == {"Q03:birch"}
    assert set(found["disclosures"]["reruns"]) == {"Q01:birch:2"}


# --- rules, gaps, flags


def test_the_rule_of_each_series_is_told():
    first = "In series 1, the first delivered attempt at an answer is scored, whatever it is (rule recorded_attempt)."
    assert told()["attempt_rules"] == {"1": first}

    def two(matters):
        return [dataclasses.replace(m, series="2" if m.matter_id == "Q03" else "1") for m in matters]

    def ruled(attempts):
        return [dataclasses.replace(a, attempt_rule="recorded_attempt" if a.matter_id == "Q03" else "completed_rerun") for a in attempts]

    found = told(matters=two, attempts=ruled)["attempt_rules"]
    assert found["1"].endswith("gives way to a later complete one that was ordered (rule completed_rerun).")
    assert found["2"].endswith("(rule recorded_attempt).")


def test_without_an_attempt_no_rule_was_applied():
    found = told(attempts=lambda _: [], verdicts=lambda _: [], assignments=lambda _: [])
    assert "attempt_rules" not in found
    assert set(found["unanswered"]) == set(NAMES)


def test_an_answer_that_is_not_there_is_told():
    assert told()["unanswered"] == {"birch": "birch has no answer to 1 matter, and its pairings there count as missing: Q03."}
    assert "unanswered" not in told_of_a_whole_record()


def test_answers_that_name_themselves_are_told():
    assert told()["self_naming"] == {"cedar": "1 answer of cedar names its own maker or model, so the judge may know whose it is: Q02."}
    many = told(attempts=all_with(names_itself=True))["self_naming"]["cedar"]
    assert many == "3 answers of cedar name their own maker or model, so the judge may know whose they are: Q01, Q02 and Q03."
    assert "self_naming" not in told(attempts=all_with(names_itself=False))


def test_answers_that_speak_to_the_judge_are_told():
    assert "addressing_the_judge" not in told()
    found = told(attempts=one_with("Q01", "alder", addresses_the_judge=True))
    assert found["addressing_the_judge"] == {"alder": "1 answer of alder speaks to whoever compares it: Q01."}


# --- the judge


def test_one_judge_is_told():
    only = "The 6 verdicts are of one judge, oak, under one instrument, material_outcome"
    assert told()["judging"] == {"one_judge": f"{only}: nobody else has judged, and its leanings are in every score."}
    assert "judging" not in told(verdicts=lambda _: [])


def test_second_judges_and_the_other_order_are_told():
    assert "beside_the_scores" not in told()
    rows = designed_record()
    found = counted(rows)["disclosures"]
    assert found["judging"]["one_judge"].endswith(": no score rests on anybody else, and its leanings are in every score.")
    assert found["beside_the_scores"] == {
        "both_orders": "Pairings were judged in their other order as well, by elm and oak: every score rests on the first order alone.",
        "judge:elm": "The second judge elm was asked about the same presentations, and no score rests on it. It qualifies.",
    }
    others = [c for c in rows.controls if c.judge != "elm"]
    untested = counted(dataclasses.replace(rows, controls=others))["disclosures"]["beside_the_scores"]["judge:elm"]
    assert untested.endswith("It does not qualify: there are no controls for testing, so the judge is untested.")
    kin = {n: c.model_copy(update={"family": rows.second_judges["elm"].family}) if n == "birch" else c for n, c in rows.contestants.items()}
    assert "as is birch." in counted(dataclasses.replace(rows, contestants=kin))["disclosures"]["same_family"]["elm"]


def test_a_judge_that_does_not_qualify_is_told():
    assert told()["qualification"]["oak"].startswith("The judge oak does not qualify: ")
    assert "qualification" not in told(controls=lambda found: [dataclasses.replace(c, verdict=c.expected) for c in found])


def test_a_judge_of_a_contestants_declared_family_is_told():
    def kin(*names):
        return lambda found: {n: c.model_copy(update={"family": "oak"}) if n in names else c for n, c in found.items()}

    assert "same_family" not in told()
    assert told(contestants=kin("alder"))["same_family"] == {"oak": "The judge oak is declared to be of the family oak, as is alder."}
    assert told(contestants=kin("alder", "birch"))["same_family"]["oak"].endswith("as are alder and birch.")


def test_verdicts_that_nobody_could_read_are_told():
    assert told()["unreadable"] == {"verdicts": "1 verdict is unreadable and not scored: Q02:birch~cedar."}
    readable = told(verdicts=lambda found: [v for v in found if v.verdict != "unreadable"])
    assert "unreadable" not in readable


def test_stored_sides_that_cannot_be_drawn_again_are_told():
    words = "The rule that drew them does not give 1 stored assignment again; what is stored counts: Q01:alder~cedar."
    assert told()["assignments"] == {"not_rederivable": words}
    assert "assignments" not in told_of_a_whole_record()


# --- who really answered


def test_mixed_served_models_and_hosts_are_told():
    assert "served" not in told()
    mixed = one_with("Q01", "alder", served_model="example-model", served_by="host-a")

    def change(attempts):
        return one_with("Q02", "alder", served_model="other-model", served_by="host-b")(mixed(attempts))

    assert told(attempts=change)["served"] == {
        "alder:hosts": "Replies of alder say that they come from 2 hosts: host-a (1) and host-b (1).",
        "alder:models": "Replies of alder say that they come from 2 models: example-model (1) and other-model (1).",
        "alder:other": "1 reply of alder to a request for example-model came from other-model.",
    }


def test_one_model_and_one_host_as_asked_for_are_no_disclosure():
    assert "served" not in told(attempts=all_with(served_model="example-model", served_by="host-a"))


def test_a_judge_that_was_served_by_another_model_is_told():
    found = told(verdicts=lambda rows: [dataclasses.replace(v, served_model="stand-in") for v in rows])["served"]
    assert found == {"judge:oak:other": "6 replies of the judge oak to a request for example-model came from stand-in."}


# --- timing and scope


def test_matters_that_were_public_before_they_were_answered_are_told():
    def published(day):
        return lambda matters: [dataclasses.replace(m, published=day) for m in matters]

    found = told(matters=published("2026-11-20"))["timing"]
    when = "3 had been published on an earlier day, 0 on the same day and 0 later (days between: 10)."
    assert found["alder:1"] == f"When alder was asked about 3 matters of series 1, {when}"
    end = "Its training is declared to end on 2026-01-31: 3 of these were published after that day, 0 on it or before."
    assert found["cedar:1"].endswith(end)
    assert "0 had been published on an earlier day, 3 on the same day and 0 later (days between: 0)" in told()["timing"]["alder:1"]
    assert "timing" not in told(matters=published("2027-01-01"))


def test_the_scope_is_told():
    claims = "This record supports claims about these 3 matters, these 3 contestants as they are configured, and this way of judging them"
    assert told()["scope"] == {"scope": f"{claims}, and about nothing else."}
    assert told(verdicts=lambda _: [])["scope"] == {"scope": "No verdict is scored, so this record supports no claim."}
