"""Opening the classroom's database, with one plain sentence where that fails."""

from __future__ import annotations

import logging

from sqlalchemy.exc import SQLAlchemyError

from core.classroom.schema import SchemaError, connect
from core.classroom.store import Database
from core.classroom.views import ClassroomDown

log = logging.getLogger(__name__)


def open_database(address: str) -> Database:
    """The classroom's database, its tables up to date.

    Args:
        address: as `core.settings.Settings.database` gives it.

    Raises:
        ClassroomDown: where it cannot be used; the server's log says why.
    """
    try:
        return Database(connect(address))
    except SchemaError as error:
        raise ClassroomDown(str(error)) from error
    except (SQLAlchemyError, OSError) as error:
        log.error("The classroom's database cannot be opened: %s", error)
        raise ClassroomDown(
            "The place where votes are kept cannot be opened: whoever runs the server finds the reason in its log."
        ) from error
