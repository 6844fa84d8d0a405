# mypy: disable-error-code="arg-type"
"""Pictures and explanations of a graph whose functions and elements raise when they are named."""

import pytest

from actors_rs import ActorSystem, Sink, Source


class Rude:
    """A function and an element that tells nobody its name."""

    def __repr__(self):
        raise RuntimeError("no text")

    __str__ = __repr__

    @property
    def __name__(self):
        raise RuntimeError("no name")

    def __call__(self, element):
        return element


def graph():
    return Source.of(Rude()).map(Rude()).filter(Rude()).to(Sink.for_each(Rude()))


@pytest.mark.parametrize("form", ["mermaid", "dot", "svg"])
def test_a_graph_of_rude_functions_is_drawn(form):
    drawing = graph().draw(form)
    assert all(name in drawing for name in ("map", "filter", "for_each"))


def test_a_graph_of_rude_functions_is_explained_and_shown_in_a_notebook():
    assert "map" in str(graph().explain())
    assert "map" in graph()._repr_mimebundle_()["image/svg+xml"]


def test_a_run_and_a_system_with_rude_elements_are_shown_in_a_notebook():
    with ActorSystem() as system:
        run = system.start(graph())
        run.result()
        assert "map" in run._repr_mimebundle_()["image/svg+xml"]
        assert system._repr_mimebundle_()["text/html"]
