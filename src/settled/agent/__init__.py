"""Level 6: what users hold. ``agent`` is the class, ``spec`` its fields, ``beginning`` and ``planning`` start its runs."""
