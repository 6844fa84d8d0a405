import json
import sys

import pytest

from stress.bench.__main__ import NAMES, main
from stress.bench.contestants import peers
from stress.bench.measuring import fresh
from stress.bench.measuring.harness import Figure, at_least, at_most, count, in_turn, rate, ratio
from stress.bench.measuring.report import line, machine, markdown
from stress.bench.pipeline import plain


def figure(value, goal=None):
    return Figure("pipeline", "generator", "2 M/s", "1 M/s", value, "", goal)


def test_contestants_run_in_turn_after_one_round_to_warm_up():
    calls = []
    seconds = in_turn(2, [(lambda: calls.append("a"), 1), (lambda: calls.append("b"), 1)])
    assert calls == ["a", "b"] * 3
    assert [len(taken) for taken in seconds] == [2, 2]


def test_seconds_are_per_element():
    (many,), (one,) = in_turn(1, [(lambda: sum(range(100_000)), 100_000), (lambda: None, 1)])
    assert 0 < many < 0.001
    assert one >= 0


def test_a_ratio_compares_medians_and_is_above_one_when_ours_is_faster():
    assert ratio([1.0, 100.0, 1.0], [2.0, 2.0, 0.001]) == 2.0


@pytest.mark.parametrize(
    ("goal", "value", "met"),
    [
        (at_least(2), 2.0, True),
        (at_least(2), 1.99, False),
        (at_most(2), 2.0, True),
        (at_most(2), 2.01, False),
        (None, 5.0, None),
    ],
)
def test_a_goal_is_met_at_its_limit_and_not_beyond(goal, value, met):
    assert figure(value, goal).met is met


@pytest.mark.parametrize(
    ("seconds", "shown"), [(1e-6, "1.00 M/s"), (1e-4, "10.00 k/s"), (0.5, "2.0 /s")]
)
def test_a_rate_is_shown_in_a_fitting_unit(seconds, shown):
    assert rate([seconds]) == shown


def test_a_smaller_scale_means_fewer_elements_but_never_none():
    assert count(0.5, 1000) == 500
    assert count(0.000001, 1000) == 10


def test_a_line_says_what_was_measured_and_whether_the_goal_was_met():
    shown = line(figure(2.0, at_least(1)))
    assert "pipeline / generator: 2.00" in shown
    assert "goal >= 1: yes" in shown
    assert "(information)" in line(figure(2.0))


def test_the_table_has_a_row_for_each_figure():
    rows = markdown([figure(2.0, at_least(3)), figure(1.0)]).splitlines()
    assert rows[2] == "| pipeline | generator | 2 M/s | 1 M/s | 2.00 | >= 3 | no |"
    assert len(rows) == 4


def test_the_machine_is_described_without_its_name():
    assert {"processor", "cores", "python", "pykka"} <= machine().keys()


@pytest.mark.parametrize(
    "peer", [peers.rx_synchronous, peers.rx_range, peers.rx_pool, peers.queue_threads]
)
def test_peers_do_the_same_work(peer):
    assert peer(100) == plain(100)


def test_pykka_peer_does_the_same_work():
    assert peers.pykka_tells(100) == plain(100)


def test_memory_is_measured_in_another_process():
    assert fresh.in_fresh_process("stress.bench.memory", "growth", 1000) >= 0


def test_json_holds_machine_figures_and_verdicts(capsys):
    assert main(["--json", "--scale", "0.001", "pipeline"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["figures"][0]["goal"] == ">= 0.7"
    assert data["figures"][0]["met"] in (True, False)
    assert data["failed"] == {}


def test_a_benchmark_that_cannot_be_measured_is_named_and_the_others_go_on(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "reactivex", None)
    assert main(["--scale", "0.001", "pipeline_peers", "tell_ask"]) == 1
    out, err = capsys.readouterr()
    assert 'pip install "actors-rs[bench]"' in err
    assert "ask round trip" in out


@pytest.mark.parametrize("wrong", [["nonsense"], ["--scale", "0", "pipeline"]])
def test_a_wrong_argument_is_refused_with_the_names_there_are(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert all(name in said for name in NAMES)
