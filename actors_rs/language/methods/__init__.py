"""The methods of ``Flow``, a file for each topic; ``Flow`` inherits all of them.

Begin with ``chain``: each method checks its arguments and puts a stage after the flow. Imports
``stages``, ``graph``, ``engine`` and ``runtime``; of the language ``graph``, ``initial``,
``running``, ``sink`` and ``sources``, and ``flow`` and ``groups`` as types only.
"""
