"""What the stress suite says of the runtime by name is there."""

import pytest

from stress.standstills import PLACES


@pytest.mark.parametrize(("owner", "name"), PLACES)
def test_a_place_where_threads_are_to_stand_still_is_a_function_of_the_runtime(owner, name):
    assert callable(vars(owner).get(name))
