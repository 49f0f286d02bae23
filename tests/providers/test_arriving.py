"""A reply as it arrives: unpacked exactly, never beyond the limit, and kept as far as it came."""

import gzip
import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stages.providers.arriving import BEGINNING, Arriving, Raw, Unusable
from stages.providers.client import BODY_MAX
from tests.loopback import Loopback, completion, raw

ROOT = Path(__file__).parents[2]
BODY = json.dumps(completion("The buyer wins. ⚖")).encode()


def bare(data: bytes) -> bytes:
    """Deflate without zlib's header, as some servers send it."""
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(data) + packing.flush()


PACKED = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "Deflate ": bare, "": bytes, "identity": bytes}


def taken(sent: bytes, coding: str | None = None, most: int = 10**6, size: int = 16384, status: int = 200) -> Arriving:
    arriving = Arriving(most)
    arriving.begin(status, {"content-encoding": coding} if coding is not None else {})
    for start in range(0, len(sent), size):
        arriving.take(sent[start : start + size])
    return arriving


def check_unusable(sent: bytes, words: str, **how) -> Arriving:
    """Take all of it, and be refused with these words at some point."""
    arriving = Arriving(how.get("most", 10**6))

    def all_of_it() -> None:
        arriving.begin(200, {"content-encoding": how.get("coding", "")})
        for start in range(0, len(sent), 100):
            arriving.take(sent[start : start + 100])
        arriving.whole()

    with pytest.raises(Unusable, match=words):
        all_of_it()
    return arriving


class TestWhole:
    @pytest.mark.parametrize("coding", PACKED)
    @pytest.mark.parametrize("size", [1, 7, 16384])
    def test_every_packing_is_undone_in_pieces_of_any_size(self, coding, size):
        assert taken(PACKED[coding](BODY), coding, size=size).whole() == Raw(200, {"content-encoding": coding}, BODY)

    @given(st.binary(max_size=3000), st.sampled_from(sorted(PACKED)), st.integers(1, 400))
    @example(b"", "gzip", 1)
    def test_any_bytes_come_back(self, body, coding, size):
        assert taken(PACKED[coding](body), coding, size=size).whole().body == body

    @given(st.lists(st.binary(max_size=200), min_size=1, max_size=5), st.integers(1, 400))
    def test_a_file_of_several_members_is_all_of_them(self, bodies, size):
        assert taken(b"".join(map(gzip.compress, bodies)), "gzip", size=size).whole().body == b"".join(bodies)

    def test_no_body_at_all_is_an_empty_one(self):
        assert taken(b"", "gzip", status=304).whole().body == b""

    @pytest.mark.parametrize("coding", ["utf-8", "none", "br"])
    def test_a_word_that_nobody_knows_before_plain_text_changes_nothing(self, coding):
        assert taken(BODY, coding).whole().body == BODY

    @pytest.mark.parametrize("coding", ["gzip, identity", "identity,gzip", " gzip ,"])
    def test_identity_beside_a_packing_is_nothing(self, coding):
        assert taken(gzip.compress(BODY), coding).whole().body == BODY

    @pytest.mark.parametrize("coding", ["", "gzip"])
    def test_the_limit_itself_is_within_it(self, coding):
        assert len(taken(PACKED[coding](b"x" * 5000), coding, most=5000).whole().body) == 5000


class TestUnusable:
    @pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
    def test_beyond_the_limit(self, coding):
        check_unusable(PACKED[coding](b"x" * 5001), "the reply is longer than 5000 bytes", coding=coding, most=5000)

    def test_the_bytes_as_sent_have_the_same_limit(self):
        check_unusable(gzip.compress(b"") * 300, "longer than 5000 bytes", coding="gzip", most=5000)

    @pytest.mark.parametrize("coding", ["gzip, gzip", "gzip,deflate", "deflate, br", "identity, gzip, gzip"])
    def test_packed_more_than_once(self, coding):
        arriving = check_unusable(b"", "the reply is packed 2 times over, which nobody asked for", coding=coding)
        assert arriving.so_far() is None

    @pytest.mark.parametrize("coding", ["gzip", "deflate"])
    def test_broken_cut_and_followed_by_something_else(self, coding):
        packed = PACKED[coding](BODY)
        for sent in (BODY, packed[:-1], packed[: len(packed) // 2], packed + b"\x07more", packed[:30] + b"\xff\xff" + packed[32:]):
            check_unusable(sent, "the reply's compression is broken", coding=coding)

    @pytest.mark.parametrize(
        ("coding", "words"), [("br", "packed as br in a way"), ("sk-planted-key", "is packed in a way that nobody asked for")]
    )
    def test_a_packing_that_cannot_be_undone(self, coding, words):
        arriving = check_unusable(b"\x1b\x0f\x00\xf8\xa5", words, coding=coding)
        assert arriving.so_far() is None, "what cannot be unpacked cannot be searched for the key"


class TestSoFar:
    def test_before_anything_came(self):
        assert Arriving(100).so_far() is None
        assert not Arriving(100).success

    def test_what_broke_off(self):
        assert taken(BODY[:40]).so_far() == Raw(200, {}, BODY[:40])

    def test_what_was_unpacked_before_the_packing_broke(self):
        sent = gzip.compress(BODY * 500, compresslevel=0)
        found = check_unusable(sent[:9000], "broken", coding="gzip").so_far()
        assert (BODY * 500).startswith(found.body)
        assert len(found.body) > 8000

    def test_of_what_is_too_long_the_beginning(self):
        long = b"x" * (3 * BEGINNING)
        assert len(check_unusable(long, "longer", most=2 * BEGINNING).so_far().body) == BEGINNING

    @pytest.mark.parametrize("status", [301, 404, 429, 500])
    def test_nothing_of_a_failure(self, status):
        assert taken(BODY, status=status).so_far() is None

    @pytest.mark.parametrize("body", [b"", b" \r\n\t "])
    def test_nothing_of_blanks(self, body):
        assert taken(body).so_far() is None


def bomb(mebibytes: int) -> bytes:
    """A gzip file of so many MiB of zeros, about 1 KiB for each: one packed block, over and over. It has no end, nobody gets there."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packing.compress(b"\0" * 2**20) + packing.flush(zlib.Z_FULL_FLUSH)
    block = packing.compress(b"\0" * 2**20) + packing.flush(zlib.Z_FULL_FLUSH)
    return head + block * (mebibytes - 1)


ASKING = """
import asyncio, resource, sys
from stages.providers.asking import TransportFault
from stages.providers.client import Client
from stages.schema.settings import Runner

async def main():
    run = Runner(concurrency=1, connect_timeout_s=240, read_timeout_s=240, tries=1, wait_max_s=0, budget_s=600, stop_after_failures=1)
    async with Client(run) as client:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            await client.post(sys.argv[1] + "/chat/completions", b"{}", None)
            print("delivered")
        except TransportFault as fault:
            print(fault)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("coding", "packed", "words"),
    [
        ("gzip", bomb(1200), f"the reply is longer than {BODY_MAX} bytes"),
        ("gzip, gzip", gzip.compress(bomb(1200)), "the reply is packed 2 times over"),
        ("gzip", gzip.compress(bomb(1200)), "delivered"),
    ],
    ids=["once", "twice", "twice and said once"],
)
def test_what_would_unpack_to_a_gigabyte_takes_no_more_memory_than_the_limit_allows(coding, packed, words):
    """In a process of its own, which says how much its memory grew. The limit may be held twice while a buffer grows."""
    with Loopback([raw(packed, headers={"Content-Encoding": coding})]) as server:
        done = subprocess.run([sys.executable, "-c", ASKING, server.base_url], capture_output=True, text=True, check=True, cwd=ROOT)
    said, grew = done.stdout.splitlines()
    assert words in said
    assert int(grew) * 1024 < 2.5 * BODY_MAX
