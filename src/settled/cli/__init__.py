"""Level 6: the command line `settled`. It does what a user of the library could do, and only shows it.

main        the entry point; works, and says what to install, without typer and rich
app         the commands, and the exit code of each end
loading     from `module:Type` to the type
probing     what an endpoint can do
growing     a run while the model writes
showing     outcomes for people and for machines, progress
demo        the main job: release notes from a git history (`notes`, `history`)
"""
