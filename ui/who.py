"""Who the lecturer is, and how one is let in.

Where the server's secrets have an `[auth]` part, lecturers sign in with their account (`st.login`), and `[lecturer]`
names their addresses. Elsewhere they come by a link that works once, or by a passphrase whose hash is in the secrets:

    [lecturer]
    emails = ["ada@example.edu"]
    passphrase_hash = "scrypt:…"        # python -m core.classroom passphrase

Nothing that a visitor types or sends says who somebody is: only the provider's word, or a key that we gave out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from core.classroom import ClassroomError, Keys, Limiter
from core.classroom.keys import check_passphrase
from ui import classroom, visit

SIGN_IN = visit.Store("lecturer", dict[str, str])
"""A lecturer's sign-in under `key`, for this tab."""
KEY = "key"
"""The name of a link's key in the address."""
TRIES, EVERYBODY_TRIES, WITHIN = 5, 50, 600.0
"""Wrong passphrases from one address, and from all, within so many seconds, after which none is checked for a while."""

_TOLD = "who.told"


def lecturer() -> str | None:
    """Who the lecturer is that this visit belongs to; None for everybody else.

    Raises:
        ClassroomError: where the sign-ins cannot be looked up now.
    """
    if accounts():
        return _account()
    key = SIGN_IN.held().get("key")
    return _keys().owner(key) if key else None


def accounts() -> bool:
    """Whether lecturers have accounts here."""
    return bool(_secrets("auth"))


def take_link() -> None:
    """Sign in whoever came by a link, and take its key out of the address, where it would be seen and copied."""
    key = st.query_params.get(KEY)
    if key is None:
        return
    del st.query_params[KEY]
    if accounts():
        return
    try:
        signed_in = _keys().use_link(key)
    except ClassroomError as error:
        st.session_state[_TOLD] = str(error)
        return
    if signed_in is None:
        st.session_state[_TOLD] = "This link has been used, or is too old: make another on the server."
    else:
        SIGN_IN.held()["key"] = signed_in
    st.rerun()


def sign_in() -> None:
    """What somebody sees who is not signed in."""
    if told := st.session_state.pop(_TOLD, None):
        st.warning(told, icon=":material/key_off:")
    if accounts():
        _sign_in_by_account()
        return
    st.markdown(
        "Classes are opened by the lecturer. When the lab starts, it prints a link for you in its window; "
        "`make link` prints another. Each link works once."
    )
    if _passphrase_hash():
        with st.form("passphrase", width=420, border=False):
            st.text_input("Passphrase", type="password", key="passphrase-typed", max_chars=1000)
            st.form_submit_button("Sign in", type="primary", on_click=_try_passphrase)


def sign_out() -> None:
    """End this visit's sign-in."""
    key = SIGN_IN.held().pop("key", None)
    if key:
        _keys().sign_out(key)
    if accounts() and st.user.is_logged_in:
        st.logout()


@st.cache_resource
def limiters() -> tuple[Limiter, Limiter]:
    """Wrong passphrases by address, and all of them."""
    return Limiter(TRIES, WITHIN), Limiter(EVERYBODY_TRIES, WITHIN)


def address() -> str:
    """Where this visit comes from, for counting what goes wrong."""
    return st.context.ip_address or "this machine"


def _sign_in_by_account() -> None:
    if not st.user.is_logged_in:
        st.markdown("Classes are opened by lecturers, who sign in with their account.")
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        return
    st.warning(
        "This account is not one of the lecturers' here. Whoever runs the server can add its address to the secrets.",
        icon=":material/person_off:",
    )
    st.button("Sign out", on_click=st.logout)


def _account() -> str | None:
    """The address of the account that is signed in, if it is a lecturer's."""
    if not st.user.is_logged_in or st.user.get("email_verified") is False:
        return None
    email = str(st.user.get("email") or "").strip().lower()
    known = [str(one).strip().lower() for one in _secrets("lecturer").get("emails", ())]
    return email if email and email in known else None


def _try_passphrase() -> None:
    from_here, from_all = limiters()
    here = address()
    wait = max(from_here.wait(here), from_all.wait("all"))
    if wait > 0:
        minutes = int(wait // 60) + 1
        st.session_state[_TOLD] = f"Too many wrong passphrases: wait {minutes} min, or use a link."
        return
    typed = st.session_state.pop("passphrase-typed", "") or ""
    if check_passphrase(typed, _passphrase_hash()):
        SIGN_IN.held()["key"] = _keys().sign_in()
        return
    from_here.failed(here)
    from_all.failed("all")
    st.session_state[_TOLD] = "That is not the passphrase."


def _keys() -> Keys:
    return Keys(classroom.database())


def _passphrase_hash() -> str:
    return str(_secrets("lecturer").get("passphrase_hash", ""))


def _secrets(part: str) -> Mapping[str, Any]:
    """One part of the server's secrets; empty where it has none."""
    try:
        found = st.secrets.get(part)
    except StreamlitSecretNotFoundError:
        return {}
    return found if isinstance(found, Mapping) else {}
