"""Level 2: functions as tools, what they may return to steer a run, and the context that user code sees."""
