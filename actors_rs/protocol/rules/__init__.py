"""The rules of Reactive Streams 1.0.3 as data.

Violations, the ``RuleMonitor`` and ``docs/rules.md`` take their words from here.
"""

from actors_rs.protocol.rules.glossary import GLOSSARY as GLOSSARY
from actors_rs.protocol.rules.glossary import Term as Term
from actors_rs.protocol.rules.history import CHANGES as CHANGES
from actors_rs.protocol.rules.history import Change as Change
from actors_rs.protocol.rules.rule import MONITOR as MONITOR
from actors_rs.protocol.rules.rule import Level as Level
from actors_rs.protocol.rules.rule import Rule as Rule
from actors_rs.protocol.rules.rule import Side as Side
from actors_rs.protocol.rules.table import RULES as RULES
from actors_rs.protocol.rules.table import rule as rule
