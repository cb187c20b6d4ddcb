"""Many people, one pair: engines that run requests and report what happens."""

from core.serving.local import LocalEngine
from core.serving.protocol import Engine, EngineBusy, EngineError, Snapshot, State, Ticket, follow

__all__ = ["Engine", "EngineBusy", "EngineError", "LocalEngine", "Snapshot", "State", "Ticket", "follow"]
