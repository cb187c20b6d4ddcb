"""Chapter 15 on its page: the stand-in runs, the pair that ships is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.models.gguf import converted_target
from core.models.presets import find_preset
from core.settings import read_settings
from tests.models.test_loading import save_model
from tests.pages.conftest import Open, charts, sentences

PAGE = "15_ready.py"


@pytest.fixture(scope="module", autouse=True)
def converted() -> None:
    preset = find_preset("bundled")
    converted_target(preset.package, preset.file, read_settings().cache, lambda fraction, words: None)


def test_from_the_first_look_to_the_decision(open_page: Open) -> None:
    at = open_page(PAGE)
    assert not at.exception and not at.warning
    said = sentences(at)
    assert "49,152 ids in the target" in said and "**llama.cpp**" in said
    assert "until the check is run" in said and "Not decided yet" in said
    assert [c["label"].split()[0] for c in charts(at)] == ["Seconds", "A", "Gigabytes"]
    at.button("ready-start").click().run()
    assert not at.exception
    said = sentences(at)
    assert "10 of 10 answers are the same" in said and "2 of 2 answers are the same" in said
    assert "2 not valid either way: the target's own doing, none changed" in said
    assert "Measured on the 12 prompts above" in said and "**Switch it on**" in said
    assert "12 of 12 prompts" in said
    assert "was busy" not in said
    at.button("ready-again").click().run()
    assert not at.exception and at.session_state["ready.asked"].repeat == 1
    assert "Measured on the 12 prompts above" in sentences(at)
    # Other controls leave what was measured in place, and say so.
    at.slider("ready:gamma").set_value(2).run()
    assert "These are the answers at γ = 4" in sentences(at)
    at.number_input("ready:memory").set_value(0.5).run()
    assert "It barely fits: stabilise first" not in sentences(at) and "**Leave it off.**" in sentences(at)


def test_own_prompts_a_shorter_wait_and_a_stop(open_page: Open) -> None:
    at = open_page(
        PAGE, mine="What is <b>this</b>?\nAnd that?", usual="1", loading="5", precision="32 bits", memory="0.9"
    )
    assert not at.exception
    assert "makes the wait longer" in sentences(at) and "5 s of loading" in sentences(at)
    assert "barely fits: stabilise first" in sentences(at)
    at.button("ready-start").click().run()
    assert list(at.dataframe[0].value["Prompt"])[-2:] == ["Your prompt 1", "Your prompt 2"]
    assert "<b>" not in sentences(at)
    at.text_area("ready:mine").set_value("\n".join("abcdef")).run()
    assert any("At most 5" in w.value for w in at.warning) and at.button("ready-start").disabled


def test_bad_links_and_pairs_that_are_not_here(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", "/nowhere")
    at = open_page(
        PAGE, pair="folders", target_folder="/etc", draft_folder="/etc", context="7", precision="2", usual="0"
    )
    assert not at.exception and len(at.warning) == 4
    assert at.selectbox("ready:pair").value == "bundled" and not at.text_input
    at.selectbox("ready:pair").set_value("pythia").run()
    assert not at.exception and "pythia-2.8b is not on this machine" in sentences(at)
    # What is loaded is measured all the same.
    assert "Is the wait shorter?" in sentences(at)


def test_two_folders_where_they_are_allowed(open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPECLAB_FOLDERS", "on")
    target, draft = save_model(tmp_path / "big*", num_hidden_layers=4), save_model(tmp_path / "small", vocab_size=10)
    at = open_page(PAGE, pair="folders", target_folder=str(target), draft_folder=str(draft))
    assert not at.exception
    said = sentences(at)
    assert r"big\*" in said and "8 ids in the target, 10 in the draft" in said
    assert any("those of the pair that is loaded here" in i.value for i in at.info)
    at.text_input("ready:draft_folder").set_value("nowhere").run()
    assert not at.exception and "There is no folder nowhere on this machine" in sentences(at)
