"""How stages carry tokens: for each kind of stage a variant that keeps them with their elements."""
