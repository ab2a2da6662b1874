"""Recall: what an agent is given for a prompt, or nothing.

The way through, each step once:

    prompt   → question     `question`: the part that is worth searching for, in the person's `own_words`
    question → judged hits  `selection`: likely to be meant, and not `withdrawn`, told before or the session's own;
                            read through a `reader` (or that of `cache`) that sees one state of the index
    hits     → disclosed    `disclosure`: an index, and of what is clearly meant a timeline and details (`layers`),
                            as far as the budget allows and the client takes

`recall.Recall` goes this way. Surfaces render what is disclosed and fence it as quoted history (`surfaces/render`).
`packets/` has the context that is injected unasked: at session start, before an edit, after an error.
"""
