"""Level 2: from what the model wrote to a payload that fits, or to a typed reason why there is none."""
