from __future__ import annotations

import string
from pathlib import Path

import pytest

from ui import content

ROOT = Path(__file__).parents[2]


def test_every_chapter_belongs_to_a_part_and_has_its_page() -> None:
    ids = {p.id for p in content.parts()}
    numbers = [c.number for c in content.chapters()]
    assert numbers == sorted(set(numbers)) and set(numbers) >= set(range(1, 14))
    assert all(c.part in ids for c in content.chapters())
    pages = [
        *(c.page for c in content.chapters()),
        *(p.page for p in content.parts()),
        *(x.page for x in content.labs()),
    ]
    assert all((ROOT / "pages" / page).is_file() for page in pages)


def test_every_part_has_chapters() -> None:
    assert all(content.chapters_of(p.id) for p in content.parts())


def test_every_question_can_be_answered() -> None:
    for chapter in content.chapters():
        question = chapter.predict
        assert (question is not None) == (chapter.number <= 10)
        if question is None:
            continue
        if question.kind == "choice":
            assert question.answer is not None and 0 <= question.answer < len(question.options)
            assert len(set(question.options)) == len(question.options) >= 3
        else:
            assert question.unit and question.low < question.high


def test_names_in_braces_are_the_figures_that_the_pages_give() -> None:
    named = {
        c.number: {name for _, name, _, _ in string.Formatter().parse(c.predict.explanation) if name}
        for c in content.chapters()
        if c.predict
    }
    assert named == {
        1: {"calls"}, 2: {"same", "total"}, 3: {"one_ms", "five_ms"}, 4: {"kept", "total", "verdict"}, 5: {"dropped"},
        6: {"drawn", "guessed", "kept", "share"}, 7: {"wrong_tv", "right_tv"}, 8: {"gained"}, 9: {"here"},
        10: {"tokens", "cost", "speedup", "best", "best_speedup"},
    }  # fmt: skip


def test_prompts_cover_the_kinds_and_can_be_run() -> None:
    prompts = content.prompts()
    assert {p.kind for p in prompts} >= {
        "Chat", "Code", "JSON", "Letter", "Repeat", "Story", "Poem", "List", "Explanation", "Translation", "Plain text",
    }  # fmt: skip
    assert len({p.id for p in prompts}) == len(prompts) >= 20
    assert "own" not in {p.id for p in prompts}
    assert {p.chat for p in prompts} == {True, False}


def test_default_requests_are_what_the_stages_show_first() -> None:
    requests = content.default_requests()
    assert {(r.method, r.max_new_tokens, r.temperature) for r in requests} == {
        ("standard", 20, 0.0), ("draft", 20, 0.0), ("standard", 6, 0.0), ("standard", 32, 0.0),
        ("speculative", 32, 0.0), ("speculative", 32, 1.0), ("speculative", 8, 1.0), ("standard", 48, 1.0),
        ("speculative", 48, 1.0), ("standard", 48, 0.0), ("speculative", 48, 0.0),
    }  # fmt: skip
    assert len(set(requests)) == len(requests)
    first, shown = content.prompts()[0], [p for p in content.prompts() if p.id in ("mat", "autumn")]
    assert {r.prompt for r in requests} == {first.text, *(p.text for p in shown)}


def test_glossary_has_every_symbol_of_the_rule_and_the_theory() -> None:
    symbols = " ".join(t.symbol for t in content.glossary())
    assert all(s in symbols for s in ("p", "q", "γ", "β", "β̄", "α", "α̂", "c", "τ", "norm(max(0, p − q))"))
    assert len({t.name for t in content.glossary()}) == len(content.glossary())


def test_an_edited_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "FOLDER", tmp_path)
    file = tmp_path / "glossary.toml"
    file.write_text('[[term]]\nname = "One"\nmeaning = "1"\n')
    assert content.glossary()[0].name == "One"
    file.write_text('[[term]]\nname = "Other"\nmeaning = "2"\n')
    assert content.glossary()[0].name == "Other"


@pytest.mark.parametrize("text", ["[[term]\n", '[[term]]\nname = "no meaning"\n'])
def test_a_spoilt_file_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "FOLDER", tmp_path)
    (tmp_path / "glossary.toml").write_text(text)
    with pytest.raises(content.ContentError, match="glossary.toml"):
        content.glossary()
