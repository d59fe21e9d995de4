"""Ways to spoil a file: bytes, lines and words, seeded."""

import re

WORDS = [
    *("", " ", "-", "?", "nan", "inf", "1e400", "-1", "0", "9" * 30, '"', "''", "\t"),
    *("[Term]", "[Typedef]", "id: T:1", "is_a: T:2", "is_obsolete: true", "!", "{"),
    *("@DATA", "@ATTRIBUTE", "class", "hierarchical", "[" * 200, "{a=" * 200, "=", "#"),
    *(
        "NOT",
        "GO:0000001",
        "1/2/3",
        ">",
        "|",
        ";",
        ",",
        "%",
        "\ufeff",
        "\u00e9",
        "\x0c",
    ),
    *("2**70", str(2**70), "true", "[]", "{}", "1979-05-27T25:00:00", "\x1c", "\u2028"),
]
BYTES = [
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"\x1f\x8b",
    b"PK",
    b"\x80" * 8,
]


def spoil(data, random):
    """Return the bytes with one to four changes."""
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        data = random.choice(MUTATORS)(data, random)
    return data


def _span(length, random):
    start = random.randrange(length + 1)
    return start, min(length, start + random.choice([1, 1, 2, 8, 64, 512]))


def flip_bit(data, random):
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def insert_bytes(data, random):
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(BYTES) + data[at:]


def delete_bytes(data, random):
    start, end = _span(len(data), random)
    return data[:start] + data[end:]


def repeat_bytes(data, random):
    start, end = _span(len(data), random)
    return data[:end] + data[start:end] * random.choice([1, 3]) + data[end:]


def cut(data, random):
    return data[: random.randrange(len(data) + 1)]


def _lines(change):
    def mutate(data, random):
        lines = data.split(b"\n")
        change(lines, random)
        return b"\n".join(lines)

    return mutate


@_lines
def delete_line(lines, random):
    del lines[random.randrange(len(lines))]


@_lines
def repeat_line(lines, random):
    at = random.randrange(len(lines))
    lines.insert(random.randrange(len(lines) + 1), lines[at])


@_lines
def swap_lines(lines, random):
    a, b = (random.randrange(len(lines)) for _ in range(2))
    lines[a], lines[b] = lines[b], lines[a]


@_lines
def join_lines(lines, random):
    at = random.randrange(len(lines))
    lines[at : at + 2] = [b" ".join(lines[at : at + 2])]


def _words(change):
    def mutate(data, random):
        parts = re.split(rb"([^\w.:-]+)", data)
        at = random.randrange(len(parts))
        parts[at] = change(parts, random)
        return b"".join(parts)

    return mutate


@_words
def replace_word(parts, random):
    return random.choice(WORDS).encode()


@_words
def copy_word(parts, random):
    return random.choice(parts)


@_words
def two_words(parts, random):
    return random.choice(parts) + b" " + random.choice(WORDS).encode()


MUTATORS = [
    *(flip_bit, insert_bytes, delete_bytes, repeat_bytes, cut, delete_line),
    *(repeat_line, swap_lines, join_lines, replace_word, copy_word, two_words),
]
