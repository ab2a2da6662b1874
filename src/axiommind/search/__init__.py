"""Search: a query in, hits out. It only reads.

The way through:

    text  → query       `query`, with `filters` and the times that `dates` reads
    query → candidates  `lexical` reads from the postings which passages have its words; `candidates` keeps those that
                        pass the filters, scored by `rank`
          → fused       `semantic` adds what is near in meaning, where there are vectors; `overlap` folds what says the
                        same
          → judged      `relevance`: the chance that a passage is meant, for recall; `calibrate`: for everybody else
          → hits        `hits`, each with its snippet (`snippets`) and its citation (`citations`)

`find.find` goes this way, and `search.Search` opens the index and the vectors for it. `similar` starts from something
known instead of a text. `reading/` is what a hit opens.
"""
