"""What is said when a run or a call goes wrong."""

from core.decoding.request import RequestError
from core.serving.protocol import EngineError


def for_user(error: BaseException) -> bool:
    """Whether an error was written for the person who asked; any other is a fault of the program, for its log."""
    # Imported here because the package brings torch along, which whoever only asks for this module need not wait for.
    from core.models.errors import ModelError

    return isinstance(error, RequestError | EngineError | ModelError)


def sentence(error: BaseException) -> str:
    """What to tell the person whose run failed, in one sentence."""
    if for_user(error):
        return str(error)
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return "There is not enough memory for this run: use a shorter prompt, or ask for fewer tokens."
    return "This run stopped because of a fault in the program: try again, or change the prompt."
