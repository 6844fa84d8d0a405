"""What runs in an actor: stages as pure logic on ports, one stage a file."""
