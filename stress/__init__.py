"""Real threads under load: measurements and repeated runs, apart from the tests."""
