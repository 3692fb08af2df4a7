"""Level 3: how an output is asked for in each mode, how replies are read in it, and how ``auto`` is resolved."""
