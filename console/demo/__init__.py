"""Everything on this machine: the demo and what it is made of."""
