"""A chat room: an asyncio server whose guests share one stream of lines.

    python examples/chat_hub.py

Guests put their lines into one queue. A hub gives each line to all guests, in the same order, and
to a log file. Guests who come late get the last lines. A guest who does not read misses lines and
keeps nobody waiting. The program starts the server, and guests who talk over real connections.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from actors_rs import ActorSystem, Sink, Source

LAST_LINES = 100


class Room:
    """The queue of spoken lines, and the hub that gives them to the log and to all guests."""

    def __init__(self, system: ActorSystem, log: Path) -> None:
        spoken: Source[str] = Source.queue(16)
        self.hub = spoken.hub(system, replay=LAST_LINES, on_slow="drop")
        self.log = system.subscriber(Sink.lines(log))
        self.hub.subscribe(self.log)  # the first subscriber starts the hub's run
        self.queue = self.hub.run.queue()

    async def guest(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve one connection, from the guest's name to the end."""
        name = (await reader.readline()).decode().strip()
        try:
            async with asyncio.TaskGroup() as tasks:
                listening = tasks.create_task(self.listen(writer))
                await self.queue.put_async(f"{name} comes in")
                async for line in reader:
                    await self.queue.put_async(f"{name}: {line.decode().strip()}")
                listening.cancel()
        except* (ConnectionError, ValueError):
            pass  # the guest has hung up, or sent something that is no line of text
        finally:
            writer.close()
            await self.queue.put_async(f"{name} leaves")

    async def listen(self, writer: StreamWriter) -> None:
        """Send each line to one guest, as fast as the guest reads."""
        async with Source.from_publisher(self.hub).open(window=16) as lines:
            async for line in lines:
                writer.write(f"{line}\n".encode())
                await writer.drain()

    async def close(self) -> int:
        """Complete the log. Returns the number of its lines."""
        self.queue.complete()
        return (await self.log.run).rows


class Guest:
    """The other end of a connection."""

    def __init__(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.heard: list[str] = []

    @classmethod
    async def enter(cls, port: int, name: str) -> Self:
        """Connect, say the name, and wait until the room has noticed."""
        guest = cls(*await asyncio.open_connection("127.0.0.1", port))
        guest.say(name)
        await guest.hear(f"{name} comes in")
        return guest

    def say(self, line: str) -> None:
        """Say a line to the room."""
        self.writer.write(f"{line}\n".encode())

    async def hear(self, wanted: str) -> None:
        """Listen until that line comes."""
        while wanted not in self.heard:
            line = await self.reader.readline()
            if not line:
                raise EOFError(f"the room closed before {wanted!r}")
            self.heard.append(line.decode().strip())


async def main(log: Path) -> None:
    """Open the room, let three guests talk, and print what the last one heard."""
    async with ActorSystem() as system:
        room = Room(system, log)
        async with asyncio.TaskGroup() as visits:  # it waits until all guests have left
            server = await asyncio.start_server(
                lambda *ends: visits.create_task(room.guest(*ends)), "127.0.0.1", 0
            )
            port = server.sockets[0].getsockname()[1]
            ann, bob = await Guest.enter(port, "ann"), await Guest.enter(port, "bob")
            ann.say("hello bob")
            await bob.hear("ann: hello bob")
            bob.say("hello ann")
            await ann.hear("bob: hello ann")
            bob.writer.close()
            await ann.hear("bob leaves")
            cy = await Guest.enter(port, "cy")
            print(*cy.heard, sep="\n")
            server.close()
            for guest in (cy, ann):
                guest.writer.close()
        lines = await room.close()
    print(f"{lines} lines in the log")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        asyncio.run(main(Path(temporary) / "chat.log"))
