"""Which programs would take a pair, by what their documentation and sources ask for. Read in 2026."""

from __future__ import annotations

from dataclasses import dataclass

from core.models.compat import PairReport, State

PADDING = 128
"""llama.cpp lets vocabularies differ in length by at most so many."""


@dataclass(frozen=True)
class Runtime:
    """One program's answer, in words, and where its rule is written down."""

    name: str
    state: State
    words: str
    source: str


def runtimes(report: PairReport) -> tuple[Runtime, ...]:
    """What each program would say to this pair."""
    return (_lab(report), _transformers(report), _vllm(report), _llama_cpp(report))


def _lab(report: PairReport) -> Runtime:
    source = "core/models/checks.py"
    if report.refusal or report.state == "fails":
        failed = next((f.words for f in report.findings if f.state == "fails"), "")
        return Runtime("This lab", "fails", f"Refuses it. {report.refusal or failed}", source)
    return Runtime("This lab", "fits", "Takes it: ids mean the same, and both caches can be rolled back.", source)


def _transformers(report: PairReport) -> Runtime:
    name, source = "Transformers", "its guide “Assisted decoding”, and the checks of generate() in 5.24"
    if report.tokens.borrowed:
        return Runtime(
            name, "note", "Takes it as assistant_model once this lab's loader has put the two together.", source
        )
    if report.target.vocabulary != report.draft.vocabulary:
        words = "Takes it if generate() is given both tokenizers; guesses then travel as text, which costs time."
        return Runtime(name, "note", words, source)
    if report.tokens.clashes or report.tokens.probe is None:
        words = "Compares the vocabularies' length only, so it would take this pair, and most guesses would be noise."
        return Runtime(name, "fails", words, source)
    words = "Takes it. Recommended: a clearly smaller assistant with the same tokenizer."
    return Runtime(name, "fits", words, source)


def _vllm(report: PairReport) -> Runtime:
    name, source = "vLLM", "its source, vllm/config/speculative.py, method draft_model"
    if report.tokens.borrowed:
        return Runtime(name, "fails", _BORROWS, source)
    if report.target.vocabulary != report.draft.vocabulary:
        words = (
            f"Refuses it, since the configurations name {report.target.vocabulary:,} and {report.draft.vocabulary:,} "
            "ids. Newer versions can be told to use the ids that both share (use_heterogeneous_vocab, greedy drafts)."
        )
        return Runtime(name, "note", words, source)
    if report.tokens.clashes or report.tokens.probe is None:
        return Runtime(name, "fails", "Compares lengths only; with these two, most guesses would be noise.", source)
    return Runtime(name, "fits", "Takes it: both configurations name the same number of ids.", source)


def _llama_cpp(report: PairReport) -> Runtime:
    name, source = "llama.cpp", "its source, common/speculative.cpp"
    if report.tokens.borrowed:
        return Runtime(name, "fails", _BORROWS, source)
    apart = abs(report.target.vocabulary - report.draft.vocabulary)
    if apart > PADDING:
        return Runtime(
            name, "fails", f"Refuses it: the vocabularies differ by {apart:,} ids, {PADDING} may be.", source
        )
    if report.tokens.late_clashes or report.tokens.probe is None:
        return Runtime(name, "fails", "Refuses it: it compares the text of each id, and they differ.", source)
    if not report.tokens.ends:
        return Runtime(name, "fails", "Refuses it: beginnings or ends of sequence are added differently.", source)
    words = f"Takes it, both as GGUF: same text for each id, lengths at most {PADDING} apart, same beginning and end."
    return Runtime(name, "fits", words, source)


_BORROWS = "Can't load this draft: it has no embeddings and no tokenizer of its own, it borrows its target's."
