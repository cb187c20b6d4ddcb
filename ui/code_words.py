"""What each recorded step of the round's code means, and the call that does the same in Transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.decoding.request import DecodeRequest

if TYPE_CHECKING:
    from core.decoding.stepping import Recording, Step

_SETS = {
    "guesses": "The draft writes ahead, one token after another, and hands over each q that a guess was drawn from.",
    "p": "One target pass over all the guesses gives a p for each, and one more for the place behind the last.",
    "u": "A number for each guess, drawn evenly between 0 and 1.",
    "correction": "A token is drawn from the residual: from what p gives more than q, scaled to a sum of 1.",
    "bonus": "Every guess was kept. The last p, at the place behind them, gives one token more.",
}
_SETS_GREEDY = {
    "guesses": "The draft writes ahead. Each q has all its mass on its first choice, so nothing is left to chance.",
    "p": "One target pass. Each p too has all its mass on one token: the target's first choice there.",
    "u": "The numbers are drawn as always. Against 0 and 1 they cannot change a verdict.",
    "correction": "p − q is above 0 at the target's first choice only. The draw can give nothing else.",
    "bonus": "Every guess was kept. The target's first choice behind them is added: p has no other token.",
}
_CALL = "A round begins. In hand: the text so far, γ, the two models as functions, and the seed's random numbers."


def notes(recording: Recording, greedy: bool) -> list[str]:
    """One sentence a step."""
    return [note(step, greedy) for step in recording.steps]


def note(step: Step, greedy: bool) -> str:
    """What a step means."""
    values = dict(step.values)
    if step.kind == "loop":
        if step.entered:
            return f"Guess {int(values['i']) + 1} is looked at: {values['x']}."
        return "No guess is left: all of them were kept."
    if step.kind == "test":
        return _verdict(step.entered is True, greedy)
    if step.kind == "return":
        return "The round is over: the guesses that stay, the token that was added, and the numbers that were drawn."
    sentences = _SETS_GREEDY if greedy else _SETS
    return next((sentences[name] for name in values if name in sentences), _CALL)


def _verdict(missed: bool, greedy: bool) -> str:
    if greedy:
        if missed:
            return "p is 0 there: the target's first choice is another token. Whatever u is, the guess misses."
        return "p and q are 1 there, and u is below 1 whatever was drawn: the guess stays."
    if missed:
        return "u · q(x) is not below p(x), so u is not below p/q: the guess misses, and the loop ends here."
    return "u · q(x) is below p(x), so u is below p/q: the guess stays."


def transformers_snippet(request: DecodeRequest, preset: str) -> str:
    """The same decoding by Transformers' own `generate`, as a program that runs in the project's folder."""
    if request.chat:
        encode = (
            f'messages = [{{"role": "user", "content": {request.prompt!r}}}]\n'
            "inputs = tokenizer.apply_chat_template(\n"
            '    messages, add_generation_prompt=True, return_tensors="pt", return_dict=True\n'
            ").to(target.device)\n"
        )
    else:
        encode = f'inputs = tokenizer({request.prompt!r}, return_tensors="pt").to(target.device)\n'
    sampling = (
        f"do_sample=True, temperature={request.temperature}, top_k=0,"
        if request.temperature
        else "do_sample=False,  # temperature 0"
    )
    return (
        "from core.models import load_pair\n"
        "\n"
        f"pair = load_pair({preset!r})\n"
        "target, draft, tokenizer = pair.target, pair.draft, pair.tokenizer\n"
        "\n"
        "# Draft length and its schedule are read from the draft, not from the call.\n"
        f"draft.generation_config.num_assistant_tokens = {request.gamma}\n"
        'draft.generation_config.num_assistant_tokens_schedule = "constant"\n'
        "draft.generation_config.assistant_confidence_threshold = 0.0\n"
        "\n"
        f"{encode}"
        "output = target.generate(\n"
        "    **inputs,\n"
        "    assistant_model=draft,  # the one argument\n"
        f"    {sampling}\n"
        f"    max_new_tokens={request.max_new_tokens},\n"
        ")\n"
        'print(tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))\n'
    )
