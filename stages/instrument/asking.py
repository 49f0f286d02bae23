"""The judge's messages: the instrument's wording around three blocks that no answer can end or open."""

from stages.schema.canonical import compact, digest, text_digest
from stages.schema.settings import BlockPart, Instrument, TextPart

_SHORTEST = 16  # 64 bits: an answer that contains it by chance is not to be expected, and one that does only lengthens it
_TITLES = {"matter": "MATTER", "answer_a": "ANSWER A", "answer_b": "ANSWER B"}


def instrument_digest(instrument: Instrument) -> str:
    """Lower-case hex sha256 over wording, menu and reply schema, in their order."""
    return text_digest(compact(["instrument", instrument.model_dump(mode="json")]))


def boundary(texts: list[str]) -> str:
    """A code that occurs in none of ``texts`` and is the same on every run: a digest of them, lengthened until it is absent."""
    whole = digest(["boundary", texts])
    size = _SHORTEST
    while any(whole[:size] in text for text in texts):
        size += 1
        if size > len(whole):
            whole += digest(["boundary", texts, whole])
    return whole[:size]


def messages(instrument: Instrument, matter: str, answer_a: str, answer_b: str) -> list[dict[str, str]]:
    """The messages of one presentation. Texts are joined, never formatted, so nothing in them can act as a template."""
    blocks = {"matter": matter, "answer_a": answer_a, "answer_b": answer_b}
    code = boundary(list(blocks.values()))

    def part(piece: TextPart | BlockPart) -> str:
        if isinstance(piece, TextPart):
            return piece.text
        title = _TITLES[piece.block]
        return "\n".join([f"=== {code} {title} ===", blocks[piece.block], f"=== {code} END OF {title} ==="])

    user = "\n\n".join(part(piece) for piece in instrument.message)
    return [{"role": "system", "content": instrument.system}, {"role": "user", "content": user}]
