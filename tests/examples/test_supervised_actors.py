"""examples/supervised_actors.py: what crashed is restarted, and only what made no sense is lost."""

import supervised_actors as example


def test_the_crawler_goes_on_and_loses_only_what_made_no_sense(capsys):
    example.main(30)
    assert capsys.readouterr().out.splitlines() == [
        "the parser has seen 15 pages since its last restart",
        "the index has seen 'words' 1 times since its last restart",
        r"dead letters: ['<broken>', '<broken>', '\x00']",
        "ends that the warden heard of: 1",
    ]
