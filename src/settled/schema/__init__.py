"""Level 1: from a Python type to what a model can be asked for, and from its payload back to a value of that type."""
