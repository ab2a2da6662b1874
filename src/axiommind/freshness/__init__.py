"""Freshness: whether what an entry speaks of is still there as it was.

An entry is anchored to the files, symbols and commits that it names (`names`), as they were when its session ended
(`snapshots`). Later, a look at those files tells whether it is fresh, drifted or gone (`state`): cheap enough for a
hook, because only what is about to be said is looked at.
"""
