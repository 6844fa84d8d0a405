"""The methods of ``Flow``, a file for each topic; ``Flow`` inherits all of them.

Begin with ``chain``: each method checks its arguments and puts a stage after the flow. May
import the stages, the graph and the engine.
"""
