"""Components that draw in the browser, one a folder: NAME.py, NAME.js, NAME.css.

`shared/` holds what several of them use; `assets` joins a component's files with it.
"""
