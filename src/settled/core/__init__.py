"""Level 4: the state machine that decides everything, without I/O. Read ``machine`` first; it opens with the table of phases."""
