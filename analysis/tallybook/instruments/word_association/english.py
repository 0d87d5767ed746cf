"""The English words around pairs, as tokens: without apostrophes and in lower case.

A line in another language holds words that are none of these, and no pair is read where such words stand within it.
"""

from __future__ import annotations

_ASSIGNING = """
are as assigned associate associated associates be belong belongs falls fits go goes into is linked longrightarrow map
maps match matched matches paired relates rightarrow suits to under with
"""
_POINTING = """
a an answer answers assign assignment assignments association associations attribute attributes categories category
certainly choice choose chosen column correct course each final following for group groups here heres i id ill it item
items its key label list lists my name names of ok okay option output pair pairs people person persons pick put
requested response responses result results select selected so sure target task term terms the then these this value
word words would write written your
"""
_DENYING = """
aint arent barely but cannot cant contrary couldnt didnt doesnt dont eg either example except false hardly if incorrect
instead isnt like maybe mustnt neither never no nor not opposite perhaps possibly rather shouldnt than unless unlike
versus vs wasnt werent without wont wouldnt wrong
"""

ASSIGNING = frozenset(_ASSIGNING.split())
"""Words that join a word with its group: "goes with"."""

POINTING = frozenset(_POINTING.split())
"""Words that belong to what stands behind or right before them: "the answer", "group", "people"."""

DENYING = frozenset(_DENYING.split())
"""Words of lines by which nothing is assigned: they deny, compare, doubt or quote an example."""

JOINING = frozenset(("and", "or"))
"""Conjunctions."""

REASONING = frozenset(("because", "since"))
"""Words behind which a reason follows."""
