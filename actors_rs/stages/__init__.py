"""What runs in an actor: stages as pure logic on ports, one stage a file.

``sources``, ``operators``, ``junctions``, ``hubs`` and ``sinks`` have the stages. Begin with
``stage`` (the contract) and ``ports``, then ``linear`` (most operators and sinks). ``chunks``,
``inner``, ``calls``, ``files``, ``arrow``, ``windows`` (of time) and ``processes`` are what several
stages share. Imports no thread, clock or actor.
"""
