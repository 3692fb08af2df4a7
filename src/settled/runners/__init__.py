"""Level 5: carrying actions out. The effects are written once, as generators; a sync and an async loop drive them."""
