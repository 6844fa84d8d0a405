"""examples/image_pipeline.py: thumbnails are PNG files with the means of the photos' pixels."""

import struct
import zlib

import pytest

import image_pipeline as example
from actors_rs import ActorSystem, Sink


def png_rows(path):
    """The rows of a PNG file as its specification says, all chunks checked."""
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        data = content[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", content, at + 8 + size)[0] == zlib.crc32(kind + data)
        chunks[kind] = data
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, color = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, color) == (8, 2)
    pixels = zlib.decompress(chunks[b"IDAT"])
    rows = [pixels[n : n + 3 * width + 1] for n in range(0, len(pixels), 3 * width + 1)]
    assert len(rows) == height
    assert {row[0] for row in rows} == {0}
    return [row[1:] for row in rows]


def test_each_photo_has_a_thumbnail_but_the_damaged_one(tmp_path):
    example.write_photos(tmp_path)
    small = tmp_path / "small"
    small.mkdir()
    with ActorSystem() as system:
        made = system.start(example.thumbnails(tmp_path, small).to(Sink.list())).result()
        (letter,) = system.dead_letters.recent()
    names = {f"photo-{n:02}.png" for n in range(example.PHOTOS) if n != example.DAMAGED}
    assert {path.name for path in made} == {path.name for path in small.iterdir()} == names
    assert letter.what == tmp_path / f"photo-{example.DAMAGED}.ppm"
    rows = png_rows(small / "photo-03.png")
    assert (len(rows[0]) // 3, len(rows)) == (40, 30)
    # the photo has the pixel (x, 2 y, 30) at x, y: the mean over four is that of 0, 1, 2, 3
    assert tuple(rows[0][:3]) == (1, 3, 30)
    assert tuple(rows[2][9:12]) == (3 * 4 + 1, 2 * 8 + 3, 30)


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "a.ppm").write_bytes(b"GIF89a")
    with pytest.raises(ValueError, match=r"a\.ppm is no PPM file"):
        example.read_ppm(tmp_path / "a.ppm")
