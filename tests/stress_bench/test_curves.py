"""Growth curves: a point of each can be measured, and a picture is SVG with both lines."""

from xml.etree import ElementTree

import pytest

from stress.bench.curves import shapes
from stress.bench.curves.__main__ import CURVES, draw
from stress.bench.curves.plot import plot


@pytest.mark.parametrize("name", CURVES)
def test_the_smallest_point_of_each_curve_can_be_measured(name, monkeypatch):
    monkeypatch.setattr(shapes, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(shapes, "LEAST_ELEMENTS", 100)
    monkeypatch.setattr(shapes, "WORKERS_ELEMENTS", 10)
    assert getattr(shapes, name)(CURVES[name].sizes[0]) > 0


def test_a_picture_has_the_points_and_both_lines():
    picture = plot("Title & more", "x", "y", [(1, 50.0), (1000, 20.0)], [(1, 50.0), (1000, 50.0)])
    svg = ElementTree.fromstring(picture)
    kinds = [child.tag.rpartition("}")[2] for child in svg]
    assert kinds.count("circle") == 2
    assert "Title & more" in "".join(svg.itertext())
    flat = [one.get("d", "") for one in svg if one.get("stroke-dasharray")]
    assert flat[0].split(",")[1].split()[0] == flat[0].rsplit(",", 1)[1]


def test_the_line_of_a_perfect_system_goes_through_the_best_point(monkeypatch, capsys):
    values = {1: 100.0, 3: 20.0, 10: 5.0}
    monkeypatch.setattr(
        "stress.bench.curves.__main__.in_fresh_process", lambda *where: values[where[2]]
    )
    draw("stages", 10)
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith("perfect 100, 1.00")
    assert told[2].endswith("perfect 10, 0.50")
