"""What tests of the components do with the harness."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page


def report(page: Page) -> Locator:
    return page.get_by_text(re.compile("selected .* runs"))


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=re.compile(label)).click()
    page.get_by_role("option", name=option).click()
