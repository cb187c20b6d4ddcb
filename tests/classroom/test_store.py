"""What a class sees and what its lecturer can do, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.classroom import Ask, Classroom, ClassroomError, Database, Desk, NotYours, Seen
from core.classroom.codes import LETTERS, device_digest, is_device, new_code, spoken, tidy
from core.classroom.desk import DAY, HOUR, NOT_YOURS, running
from core.classroom.schema import devices
from core.classroom.store import NO_CLASS, OVER
from tests.classroom.conftest import Clock, Restart, phone

CHOICE = Ask(1, 0, 3)
NUMBER = Ask(2, 0, 20, near=2)


def asked(room: Classroom, code: str) -> int:
    """The id of the question that the class is at."""
    seen = room.look(code)
    assert seen and seen.question
    return seen.question.id


def voted(room: Classroom, code: str, *said: int, round_: int = 1, first: int = 0) -> None:
    """Phones vote, one each."""
    question = asked(room, code)
    for i, what in enumerate(said):
        assert room.vote(code, phone(first + i), question, round_, what).new


def test_a_class_from_the_first_phone_to_the_second_vote(room: Classroom, desk: Desk) -> None:
    code = desk.open_class()
    assert room.look(code) == Seen(code, None, {})
    room.join(code, phone(0))
    room.join(code, phone(0))
    desk.ask(code, CHOICE)
    question = asked(room, code)
    voted(room, code, 1, 1, 2, 0)
    board, share = desk.board(code, answer=1)
    assert (board.joined, board.counts, board.tallies, share) == (4, {1: 4}, {}, 0.5)

    desk.talk(code, question)
    with pytest.raises(ClassroomError, match=OVER):
        room.vote(code, phone(9), question, 1, 1)
    desk.again(code, question)
    voted(room, code, 1, 1, 1, 0, round_=2)
    seen = room.look(code, phone(2))
    assert seen and seen.said == {1: 2, 2: 1}

    desk.reveal(code, question, 1)
    shown = room.board(code)
    assert shown and shown.question and shown.question.answer == 1
    assert shown.tallies == {1: {0: 1, 1: 2, 2: 1}, 2: {0: 1, 1: 3}}
    with pytest.raises(ClassroomError, match=OVER):
        room.vote(code, phone(9), question, 2, 1)


def test_nothing_of_a_result_is_told_before_the_reveal(room: Classroom, desk: Desk) -> None:
    code = desk.open_class()
    desk.ask(code, CHOICE)
    voted(room, code, 1, 1, 1, 1)
    for state in ("open", "talk", "open"):
        seen, board = room.look(code, phone(0)), room.board(code)
        assert seen and seen.question and board and board.question
        assert seen.question.state == state and seen.question.answer is None and board.question.answer is None
        assert board.tallies == {} and seen.said == {1: 1}
        assert room.look(code, phone(8)) == replace(seen, said={})
        (desk.talk if state == "open" else desk.again)(code, seen.question.id)


def test_the_first_vote_counts_and_the_same_again_changes_nothing(room: Classroom, desk: Desk) -> None:
    code = desk.open_class()
    desk.ask(code, CHOICE)
    question = asked(room, code)
    first = room.vote(code, phone(1), question, 1, 2)
    again, other = room.vote(code, phone(1), question, 1, 2), room.vote(code, phone(1), question, 1, 3)
    assert [(r.said, r.new) for r in (first, again, other)] == [(2, True), (2, False), (2, False)]
    desk.reveal(code, question, 2)
    board = room.board(code)
    assert board and board.tallies == {1: {2: 1}}
    # Sent again after the reveal by a phone that never heard that it was counted: told so, and not an error.
    assert not room.vote(code, phone(1), question, 1, 2).new


def test_what_cannot_be_said_is_not_counted(room: Classroom, desk: Desk) -> None:
    code = desk.open_class()
    other = desk.open_class()
    desk.ask(code, CHOICE)
    desk.ask(other, CHOICE)
    question = asked(room, code)
    for wrong in (-1, 4, 10**6):
        with pytest.raises(ClassroomError, match="cannot be said"):
            room.vote(code, phone(1), question, 1, wrong)
    for id_, round_ in ((question, 2), (question, 0), (question + 100, 1), (asked(room, other), 1)):
        with pytest.raises(ClassroomError, match=OVER):
            room.vote(code, phone(1), id_, round_, 1)
    for token in ("", "x" * 32, "0" * 31, "0" * 33, "'; DROP TABLE vote; --"):
        with pytest.raises(ClassroomError, match="browser"):
            room.vote(code, token, question, 1, 1)
    board = room.board(code)
    assert board and board.counts == {}


def test_only_the_lecturer_of_a_class_may_do_anything_to_it(room: Classroom, desk: Desk, database: Database) -> None:
    code = desk.open_class()
    desk.ask(code, CHOICE)
    voted(room, code, 1)
    question = asked(room, code)
    before = room.look(code, phone(0))
    stranger = Desk(database, "eve@example.edu")
    for act in (
        lambda: stranger.ask(code, NUMBER),
        lambda: stranger.talk(code, question),
        lambda: stranger.again(code, question),
        lambda: stranger.reveal(code, question, 1),
        lambda: stranger.reset(code, question),
        lambda: stranger.put_away(code),
        lambda: stranger.end(code),
        lambda: stranger.delete(code),
        lambda: stranger.rows(code),
        lambda: stranger.board(code, 1),
    ):
        with pytest.raises(NotYours, match=NOT_YOURS):
            act()
    assert room.look(code, phone(0)) == before and stranger.classes() == []
    # Nor does a class of one's own open the way to another's question.
    own = stranger.open_class()
    stranger.reveal(own, question, 1)
    stranger.reset(own, question)
    assert room.look(code, phone(0)) == before


def test_a_code_expires_and_its_votes_are_deleted_in_time(room: Classroom, desk: Desk, clock: Clock) -> None:
    code = desk.open_class()
    desk.ask(code, CHOICE)
    voted(room, code, 1)
    question = asked(room, code)
    clock.now += 8 * HOUR + 1
    assert room.look(code, phone(0)) is None and room.board(code) is None
    with pytest.raises(ClassroomError, match=NO_CLASS):
        room.vote(code, phone(1), question, 1, 1)
    with pytest.raises(ClassroomError, match=NO_CLASS):
        room.join(code, phone(1))
    with pytest.raises(ClassroomError, match="over"):
        desk.reveal(code, question, 1)
    assert len(desk.rows(code)) == 1 and running(desk.classes(), clock.now) == []

    clock.now += 90 * DAY - 8 * HOUR
    desk.open_class()
    assert len(desk.classes()) == 2
    clock.now += 8 * HOUR
    desk.open_class()
    assert code not in [held.code for held in desk.classes()]
    with pytest.raises(NotYours):
        desk.rows(code)


def test_an_ended_or_deleted_class_is_gone_for_phones(room: Classroom, desk: Desk) -> None:
    code, other = desk.open_class(), desk.open_class()
    desk.ask(code, CHOICE)
    voted(room, code, 1)
    desk.end(code)
    assert room.look(code) is None and room.look(other) is not None
    assert [(held.code, held.joined, held.votes) for held in desk.classes()] == [(other, 0, 0), (code, 1, 1)]
    desk.delete(code)
    assert [held.code for held in desk.classes()] == [other]


def test_a_reset_question_is_asked_anew_and_late_votes_find_nothing(room: Classroom, desk: Desk) -> None:
    code = desk.open_class()
    desk.ask(code, CHOICE)
    voted(room, code, 1, 2)
    old = asked(room, code)
    desk.reset(code, old)
    seen = room.look(code, phone(0))
    assert seen and seen.question is None
    desk.ask(code, CHOICE)
    assert asked(room, code) != old
    with pytest.raises(ClassroomError, match=OVER):
        room.vote(code, phone(5), old, 1, 1)
    board = room.board(code)
    assert board and board.counts == {} and board.joined == 2
    assert desk.rows(code) == []


def test_a_question_that_comes_back_has_its_votes_and_steps_are_made_once(room: Classroom, desk: Desk) -> None:
    code = desk.open_class()
    desk.ask(code, CHOICE)
    voted(room, code, 1, 2)
    first = asked(room, code)
    desk.ask(code, NUMBER)
    with pytest.raises(ClassroomError, match=OVER):
        room.vote(code, phone(5), first, 1, 1)
    desk.ask(code, CHOICE)
    desk.ask(code, CHOICE)
    board = room.board(code)
    assert asked(room, code) == first and board and board.counts == {1: 2}
    # A second vote needs a talk before it, and there is no third.
    desk.again(code, first)
    assert (room.look(code).question.round) == 1  # type: ignore[union-attr]
    for _ in range(3):
        desk.talk(code, first)
        desk.again(code, first)
    seen = room.look(code)
    assert seen and seen.question and (seen.question.state, seen.question.round) == ("open", 2)
    desk.reveal(code, first, 1)
    desk.reveal(code, first, 3)
    desk.talk(code, first)
    seen = room.look(code)
    assert seen and seen.question and (seen.question.state, seen.question.answer) == ("revealed", 1)
    desk.put_away(code)
    seen = room.look(code)
    assert seen and seen.question is None and len(desk.rows(code)) == 2


def test_a_class_can_be_full(database: Database, desk: Desk) -> None:
    room = Classroom(database, size=2)
    code = desk.open_class()
    desk.ask(code, CHOICE)
    voted(room, code, 1, 1)
    with pytest.raises(ClassroomError, match="full"):
        room.vote(code, phone(2), asked(room, code), 1, 1)
    room.join(code, phone(1))


def test_a_restart_in_mid_vote_loses_nothing_and_counts_nothing_twice(restart: Restart) -> None:
    before = restart()
    room, code = Classroom(before), Desk(before, "ada").open_class()
    Desk(before, "ada").ask(code, NUMBER)
    voted(room, code, 9, 10, 15)
    question = asked(room, code)

    after = restart()
    room, desk = Classroom(after), Desk(after, "ada")
    # Every phone sends its vote again, since none knows whether it arrived.
    receipts = [room.vote(code, phone(i), question, 1, said) for i, said in enumerate((9, 11, 15, 12))]
    assert [(r.said, r.new) for r in receipts] == [(9, False), (10, False), (15, False), (12, True)]
    assert desk.board(code, 10)[1] == 0.75
    desk.reveal(code, question, 10)
    board = Classroom(restart()).board(code)
    assert board and board.tallies == {1: {9: 1, 10: 1, 15: 1, 12: 1}}
    assert [row.right for row in desk.rows(code)] == [True, True, False, True]


def test_a_class_does_not_know_the_phones_of_another(room: Classroom, desk: Desk, database: Database) -> None:
    for code in (desk.open_class(), desk.open_class()):
        room.join(code, phone(7))
    with database.reading() as connection:
        kept = [row.device for row in connection.execute(devices.select())]
    assert len(set(kept)) == 2 and phone(7) not in kept
    assert kept[0] == device_digest(1, phone(7))


def test_codes_are_typed_as_they_are_read() -> None:
    made = {new_code() for _ in range(500)}
    assert len(made) == 500 and {len(code) for code in made} == {6}
    assert set("".join(made)) == set(LETTERS)
    code = made.pop()
    assert tidy(spoken(code)) == tidy(f" {code[:3]}-{code[3:].upper()} ") == code
    assert [tidy(x) for x in ("", "bcdfg", "bcdfghj", "bcd fg0", "bcdfgé", "x" * 5000, "<b>bcd")] == [None] * 7
    assert is_device(phone(3)) and not any(is_device(x) for x in (None, 3, "", "A" * 32, phone(1) + "\n"))
