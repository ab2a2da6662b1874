"""The settings of recall: its layers, what prompts and other moments are told, and the hooks that ask."""

from __future__ import annotations

from axiommind.setting import Key

__all__ = ["RECALL_KEYS"]

# The agent's hooks: the setting and the variable that switch each, its deadline in seconds, and what it does.
_HOOKS = (
    ("user_prompt_submit", "PROMPT", 0.39, "Recall for each prompt."),
    ("session_start", "START", 1.5, "Where work stopped, when a session starts, resumes or was compacted."),
    ("pre_tool_use", "EDIT", 0.39, "What is known about a file before it is changed."),
    ("post_tool_use_failure", "FAILURE", 0.39, "What solved the same error before."),
    ("stop", "STOP", 0.39, "Index in the background after each turn."),
    ("session_end", "END", 0.39, "Index in the background after each session."),
    ("pre_compact", "COMPACT", 0.39, "Index before a session is compacted."),
)

RECALL_KEYS: tuple[Key, ...] = (
    Key(
        "progressiveDisclosure.enabled",
        "AXM_DISCLOSURE",
        bool,
        True,
        "Whether recall answers in layers: first an index, then a timeline and details of what is clearly meant. "
        "Without it, only the index.",
        "disclosure.enabled",
    ),
    Key(
        "progressiveDisclosure.layer1.topK",
        "AXM_TOP_K",
        int,
        10,
        "Maximum number of lines in the index.",
        "disclosure.top_k",
    ),
    Key(
        "progressiveDisclosure.layer1.minScore",
        "AXM_MIN_SCORE",
        float,
        0.7,
        "Matches with a lower probability than this (0 to 1) are left out.",
        "disclosure.min_score",
    ),
    Key(
        "progressiveDisclosure.autoExpand.enabled",
        "AXM_AUTO_EXPAND",
        bool,
        True,
        "Whether the timeline and details of good matches are included automatically.",
        "disclosure.auto_expand",
    ),
    Key(
        "progressiveDisclosure.autoExpand.highConfidenceThreshold",
        "AXM_HIGH_CONFIDENCE",
        float,
        0.92,
        "A single match with at least this probability is expanded.",
        "disclosure.high_confidence",
    ),
    Key(
        "progressiveDisclosure.autoExpand.scoreGapThreshold",
        "AXM_SCORE_GAP",
        float,
        0.1,
        "A likely match that is this far ahead of the next one is expanded.",
        "disclosure.score_gap",
    ),
    Key(
        "progressiveDisclosure.autoExpand.maxAutoExpandCount",
        "AXM_MAX_EXPAND",
        int,
        3,
        "Maximum number of matches that are expanded automatically.",
        "disclosure.max_expand",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.maxTotalTokens",
        "AXM_MAX_TOKENS",
        int,
        2_000,
        "Maximum number of tokens of one `axm search --smart`, over all layers.",
        "disclosure.max_tokens",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.layer1PerItem",
        "AXM_TOKENS_INDEX",
        int,
        50,
        "Estimated tokens of a line in the index.",
        "disclosure.index_tokens",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.layer2PerItem",
        "AXM_TOKENS_TIMELINE",
        int,
        40,
        "Estimated tokens of a line in the timeline.",
        "disclosure.timeline_tokens",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.layer3PerItem",
        "AXM_TOKENS_DETAIL",
        int,
        500,
        "Maximum number of tokens of one detail; a longer text is cut to the relevant part.",
        "disclosure.detail_tokens",
    ),
    Key(
        "progressiveDisclosure.cache.layer1Ttl",
        "AXM_TTL_INDEX",
        int,
        60_000,
        "How long a resident process caches an index, in milliseconds, unless something new is indexed.",
        "disclosure.index_ttl",
    ),
    Key(
        "progressiveDisclosure.cache.layer2Ttl",
        "AXM_TTL_TIMELINE",
        int,
        300_000,
        "The same for a timeline.",
        "disclosure.timeline_ttl",
    ),
    Key(
        "progressiveDisclosure.cache.layer3Ttl",
        "AXM_TTL_DETAIL",
        int,
        1_800_000,
        "The same for a detail.",
        "disclosure.detail_ttl",
    ),
    Key(
        "retrieval.maxTokens",
        "AXM_HOOK_TOKENS",
        int,
        1_000,
        "Maximum number of tokens that a hook injects for one prompt, and that `axm recall` and MCP's `recall` give.",
        "hooks.prompt_tokens",
    ),
    Key(
        "retrieval.promptChance",
        "AXM_PROMPT_CHANCE",
        float,
        0.50,
        "A prompt is answered only if something helps with at least this probability; over 1 = never.",
        "hooks.prompt_chance",
    ),
    Key(
        "retrieval.otherProjects",
        "AXM_OTHER_PROJECTS",
        float,
        0.92,
        "Another project's matches are recalled only with at least this probability; over 1 = never.",
        "hooks.other_projects",
    ),
    Key(
        "retrieval.teammates",
        "AXM_TEAMMATES",
        bool,
        False,
        "Whether agents are told what team mates share of the same repository, marked as theirs. Search finds it "
        "in any case.",
        "hooks.teammates",
    ),
    Key("hooks.enabled", "AXM_HOOKS", bool, True, "Whether hooks do anything at all.", "hooks.enabled"),
    *(Key(f"hooks.{event}", f"AXM_HOOK_{name}", bool, True, what, f"hooks.{event}") for event, name, _, what in _HOOKS),
    Key(
        "hooks.resident",
        "AXM_HOOK_RESIDENT",
        bool,
        True,
        "Whether `axm mcp`, while it runs, answers for hooks, which makes them twice as fast.",
        "hooks.resident",
    ),
    Key("hooks.start_tokens", "AXM_HOOK_START_TOKENS", int, 500, "Maximum tokens at a start.", "hooks.start_tokens"),
    Key(
        "hooks.tool_tokens",
        "AXM_HOOK_TOOL_TOKENS",
        int,
        300,
        "Maximum tokens about a file or an error.",
        "hooks.tool_tokens",
    ),
    Key(
        "hooks.announce",
        "AXM_HOOK_ANNOUNCE",
        list,
        ["SessionStart"],
        "Events after which the person is told in one line what the agent was given; `[]` (variable: `none`) = none.",
        "hooks.announce",
    ),
    *(
        Key(
            f"hooks.seconds.{event}",
            f"AXM_HOOK_{name}_SECONDS",
            float,
            seconds,
            "After how many seconds this hook exits without an answer; `AXM_HOOK_SECONDS` goes before it.",
            f"hooks.{event}_seconds",
        )
        for event, name, seconds, _ in _HOOKS
    ),
)
