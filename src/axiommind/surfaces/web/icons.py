"""The icons: lines on a grid of 24, drawn for this program."""

from __future__ import annotations

from markupsafe import Markup

__all__ = ["icon"]

_ICONS = {
    "home": "M3 11.5 12 4l9 7.5M5.5 9.8V20h13V9.8",
    "search": "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20.5 20.5 16 16",
    "sessions": "M4 5h16v11H10l-4.5 4v-4H4z",
    "memory": "m12 3.5 9 4.7-9 4.7-9-4.7zM3.5 12.5l8.5 4.5 8.5-4.5M3.5 16.5 12 21l8.5-4.5",
    "tasks": "M4 4.5h16v15H4zM8 12l3 3 5.5-6",
    "scratchpads": "M5 4h9.5L19 8.5V20H5zM14 4v5h5M8.5 13h7M8.5 16.5h5",
    "knowledge": (
        "M12 6.5c-2.5-2-5.5-2-8.5-.8v12.8c3-1.2 6-1.2 8.5.8 2.5-2 5.5-2 8.5-.8V5.7c-3-1.2-6-1.2-8.5.8zM12 6.5v12.8"
    ),
    "overview": "M5 20v-8M12 20V4M19 20v-5",
    "recall": "M9 3.5h6M10 3.5v6L4.8 18.3A1.8 1.8 0 0 0 6.4 21h11.2a1.8 1.8 0 0 0 1.6-2.7L14 9.5v-6M7.5 15h9",
    "health": "M3 12.5h4l2.5-7 5 13.5 2.5-6.5h4",
    "more": "M5 12h.01M12 12h.01M19 12h.01",
    "edit": "M4 20h4L19.5 8.5l-4-4L4 16z",
    "run": "m5 7 5 5-5 5M12.5 17.5H19",
    "read": "M6 3.5h8.5L19 8v12.5H6zM9 12h6.5M9 15.5h6.5",
    "ask": "M9 9.2a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.8v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
    "plan": "M5 6h.01M9 6h10M5 12h.01M9 12h10M5 18h.01M9 18h10",
    "delegate": "M6 4v7a4 4 0 0 0 4 4h8M14.5 11l4 4-4 4",
    "other": "M14.5 5.5a4 4 0 0 0 4 5.5L10 19.5 5.5 15 14 6.5z",
    "copy": "M9 9h11v11H9zM5 15H4V4h11v1",
    "moon": "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
    "quote": (
        "M9.5 7C7 8 5.5 10 5.5 13v4h5v-5h-2.5c0-1.5.6-2.6 2-3.2zM18.5 7c-2.5 1-4 3-4 6v4h5v-5H17c0-1.5.6-2.6 2-3.2z"
    ),
    "down": "m6 9.5 6 6 6-6",
    "warn": "M12 4 2.8 20h18.4zM12 10v5M12 17.5v.1",
    "check": "m5 12.5 4.5 4.5L19 7.5",
    "cross": "m6.5 6.5 11 11M17.5 6.5l-11 11",
    "export": "M12 15V4M7.5 8 12 3.5 16.5 8M5 14v6h14v-6",
    "given": "M4 12h11M11 7.5l4.5 4.5L11 16.5M19.5 4.5v15",
}


def icon(name: str) -> Markup:
    shape = _ICONS.get(name, _ICONS["other"])
    return Markup('<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/></svg>').format(shape)
