"""Reports: perspectives, analysers, insight and grounding. They read the index and write nothing."""
