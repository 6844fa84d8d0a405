"""examples/chat_hub.py: all hear all lines in one order, and nobody waits for a slow guest."""

import asyncio

from actors_rs import ActorSystem
from chat_hub import Guest, Room
from tests.graph.helpers import SECONDS


def visited(tmp_path, talk):
    """The lines of the log after ``talk(port)`` in an open room, and what was dropped."""

    async def main():
        async with ActorSystem() as system:
            room = Room(system, tmp_path / "log")
            async with asyncio.TaskGroup() as visits:
                server = await asyncio.start_server(
                    lambda *ends: visits.create_task(room.guest(*ends)), "127.0.0.1", 0
                )
                await talk(server.sockets[0].getsockname()[1])
                server.close()
            rows = await room.close()
            (hub,) = [one for one in room.hub.run.snapshot().stages if one.name == "hub"]
            return rows, hub.details["dropped"]

    rows, dropped = asyncio.run(asyncio.wait_for(main(), SECONDS))
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == rows
    return lines, dropped


def test_guests_who_talk_at_once_hear_the_same_lines_in_the_same_order(tmp_path):
    heard = []

    async def talk(port):
        guests = [await Guest.enter(port, name) for name in ("ann", "bob", "cy")]

        async def chatter(guest, number):
            for n in range(20):
                guest.say(f"{number}-{n}")
            for other in ("ann: 0-19", "bob: 1-19", "cy: 2-19"):
                await guest.hear(other)
            heard.append([line for line in guest.heard if "-" in line])

        await asyncio.gather(*(chatter(guest, n) for n, guest in enumerate(guests)))
        for guest in guests:
            guest.writer.close()

    lines, dropped = visited(tmp_path, talk)
    spoken = [line for line in lines if "-" in line]
    assert len(spoken) == 60
    assert all(one == spoken[: len(one)] for one in heard)
    assert {line.split()[1] for line in lines[-3:]} == {"leaves"}
    assert dropped == 0


def test_a_guest_who_does_not_read_keeps_nobody_waiting(tmp_path):
    async def talk(port):
        deaf, ann, bob = [await Guest.enter(port, name) for name in ("deaf", "ann", "bob")]
        for n in range(400):
            ann.say(f"{n} " + "x" * 30_000)
            await bob.hear(f"ann: {n} " + "x" * 30_000)
            bob.heard.clear()
            await ann.hear(f"ann: {n} " + "x" * 30_000)
            ann.heard.clear()
        for guest in (deaf, ann, bob):
            guest.writer.close()

    lines, dropped = visited(tmp_path, talk)
    assert sum(line.startswith("ann: ") for line in lines) == 400
    assert dropped > 0, "the deaf guest missed lines"
