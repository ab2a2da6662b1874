"""The pictures of the docs, taken from the sample: `make test-web SHOTS=1`, and then looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transcripts import World
from tests.web.chromium import ARGUMENTS, ASKED, DISCOUNT, HOURLY, Window, browser_or_skip, served

IMAGES = Path(__file__).parents[2] / "docs" / "images"
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True}
TAKEN = {
    "web-session": (f"/session/{HOURLY}", {"viewport": {"width": 1300, "height": 860}}),
    "web-session-dark": (
        f"/session/{DISCOUNT}?entry=ent_65c402663e5349a0",
        {"viewport": {"width": 1300, "height": 860}, "color_scheme": "dark"},
    ),
    "web-overview": ("/overview?since=", {"viewport": {"width": 1300, "height": 1250}}),
    "web-home": ("/", {"viewport": {"width": 1300, "height": 860}}),
    "web-phone": (f"/session/{HOURLY}", PHONE),
}


@pytest.mark.browser
def test_pictures_of_the_sample(sample: World) -> None:
    api, path = browser_or_skip()
    if not ASKED["SHOTS"]:
        pytest.skip("make test-web SHOTS=1 takes them")
    with api.sync_playwright() as playwright, served(sample) as (base, code, _pid):
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        for name, (where, how) in TAKEN.items():
            window = Window(browser, base, code, **how)
            page = window.go(where)
            page.wait_for_timeout(400)
            page.screenshot(path=IMAGES / f"{name}.png")
            assert window.wrong == []
            window.close()
        browser.close()
