"""Level 0: the words that every other room speaks. Frozen values, no behaviour that decides anything.

Read in this order: value (the base), finish, issues, usage, messages, capabilities, exchange, stop, report, errors, outcome.
"""
