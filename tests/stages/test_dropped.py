"""What comes too late is counted once, by whichever thread."""

import threading

from actors_rs.stages.chunks.dropped import Dropped


def test_each_number_is_poured_once_whenever_it_comes():
    dropped, sums = Dropped(3), [1]
    dropped.add(4)
    dropped.pour_into(sums)
    assert sums == [1, 7]
    dropped.add(5)
    assert sum(sums) == 13
    assert dropped.total == 12


def test_threads_that_add_while_another_one_pours_lose_nothing():
    for _ in range(50):
        dropped, sums, ready = Dropped(0), list[int](), threading.Barrier(4)

        def add(dropped=dropped, ready=ready):
            ready.wait()
            for _ in range(200):
                dropped.add(1)

        threads = [threading.Thread(target=add) for _ in range(3)]
        for thread in threads:
            thread.start()
        ready.wait()
        dropped.pour_into(sums)
        for thread in threads:
            thread.join()
        assert sum(sums) == 600
