"""An image pipeline on all cores: photos become thumbnails in worker processes.

    python examples/image_pipeline.py

The program first writes 24 photos into a temporary folder; one of them is damaged. Worker processes
read and shrink them, since that is work for the processor, and write thumbnails as PNG files. A
damaged photo is reported and left out. The few lines that read PPM and write PNG need no library.
"""

import re
import struct
import zlib
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from actors_rs import ActorSystem, Sink, Source

PHOTOS, WIDTH, HEIGHT = 24, 160, 120
SHRINK = 4  # a thumbnail has one pixel for 4 x 4 pixels
DAMAGED = 13
PPM = re.compile(rb"P6 (\d+) (\d+) 255\n")

Image = list[bytes]
"""The rows of an image. Each pixel is three bytes: red, green and blue."""


def read_ppm(path: Path) -> Image:
    """Read a photo. Raises ``ValueError`` for a damaged file."""
    content = path.read_bytes()
    if not (header := PPM.match(content)):
        raise ValueError(f"{path.name} is no PPM file")
    width, height = map(int, header.groups())
    pixels, line = content[header.end() :], 3 * width
    if len(pixels) != line * height:
        raise ValueError(f"{path.name} has {len(pixels)} bytes of {line * height}")
    return [pixels[start : start + line] for start in range(0, len(pixels), line)]


def shrunk(image: Image) -> Image:
    """A smaller image. Each of its pixels is the mean of a square of pixels."""
    area = SHRINK * SHRINK
    small = []
    for top in range(0, len(image), SHRINK):
        rows = image[top : top + SHRINK]
        row = bytearray()
        for left in range(0, len(image[0]), 3 * SHRINK):
            for color in range(left, left + 3):
                row.append(sum(sum(row[color : color + 3 * SHRINK : 3]) for row in rows) // area)
        small.append(bytes(row))
    return small


def write_png(path: Path, image: Image) -> None:
    """Write an image: the signature of PNG and three chunks, each with its size and checksum."""
    header = struct.pack(">IIBBBBB", len(image[0]) // 3, len(image), 8, 2, 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + row for row in image))
    file = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")):
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        file += struct.pack(">I", len(data)) + kind + data + checksum
    path.write_bytes(file)


def thumbnail(folder: Path, photo: Path) -> Path:
    """Write the thumbnail of one photo. Runs in a worker process."""
    small = folder / f"{photo.stem}.png"
    write_png(small, shrunk(read_ppm(photo)))
    return small


def thumbnails(photos: Path, folder: Path) -> Source[Path]:
    """The pipeline. Names of files travel to the workers and back, images do not."""
    return (
        Source.files(photos / "*.ppm")
        .map_processes(partial(thumbnail, folder), workers=2, ordered=False)
        .on_failure("resume")
        .named("thumbnail")
    )


def write_photos(folder: Path) -> None:
    """Some photos: each a gradient in another colour. The file of one breaks off."""
    for number in range(PHOTOS):
        pixels = bytes(
            value for y in range(HEIGHT) for x in range(WIDTH) for value in (x, 2 * y, 10 * number)
        )
        content = f"P6 {WIDTH} {HEIGHT} 255\n".encode() + pixels
        path = folder / f"photo-{number:02}.ppm"
        path.write_bytes(content[:30_000] if number == DAMAGED else content)


def main(folder: Path) -> None:
    """Write the photos, make the thumbnails, and say which photo is damaged."""
    photos, small = folder / "photos", folder / "small"
    photos.mkdir()
    small.mkdir()
    write_photos(photos)
    with ActorSystem() as system:
        made = system.start(thumbnails(photos, small).to(Sink.list())).result()
        letters = system.dead_letters.recent()
    print(
        f"{PHOTOS} photos, {len(made)} thumbnails of {WIDTH // SHRINK} x {HEIGHT // SHRINK} pixels"
    )
    print("damaged:", *(letter.error.__cause__ for letter in letters if letter.error))


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
