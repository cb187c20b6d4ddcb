"""The classroom: classes, questions and votes in a database, for one server or several."""

from core.classroom.desk import Desk
from core.classroom.keys import Keys, Limiter
from core.classroom.opening import open_database
from core.classroom.store import Classroom, Database
from core.classroom.views import (
    Ask,
    Board,
    ClassroomDown,
    ClassroomError,
    NotYours,
    Question,
    Receipt,
    Seen,
)

__all__ = [
    "Ask",
    "Board",
    "Classroom",
    "ClassroomDown",
    "ClassroomError",
    "Database",
    "Desk",
    "Keys",
    "Limiter",
    "NotYours",
    "Question",
    "Receipt",
    "Seen",
    "open_database",
]
