"""What a deployment says in its environment, as the settings take it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

NAMES = (
    "ALLOWED_HOSTS", "CSRF_COOKIE_SECURE", "CSRF_TRUSTED_ORIGINS", "SECURE_PROXY_SSL_HEADER",
    "SESSION_COOKIE_SECURE",
)  # fmt: skip


def read(tmp_path, **environment):
    """The settings as a process of its own finds them, or the last line of its complaint."""
    script = (
        "import json; from console import settings as s; "
        f"print(json.dumps({{name: getattr(s, name) for name in {NAMES}}}))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATA_DIR": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(ended.stdout) if ended.returncode == 0 else ended.stderr.splitlines()[-1]


def test_by_itself_it_serves_this_machine_and_believes_no_proxy(tmp_path):
    assert read(tmp_path) == {
        "ALLOWED_HOSTS": ["localhost", "127.0.0.1", "[::1]"],
        "CSRF_COOKIE_SECURE": False,
        "CSRF_TRUSTED_ORIGINS": [],
        "SECURE_PROXY_SSL_HEADER": None,
        "SESSION_COOKIE_SECURE": False,
    }


def test_behind_a_proxy_it_believes_the_scheme_and_sends_cookies_over_https_only(tmp_path):
    found = read(
        tmp_path,
        ALLOWED_HOSTS="countersign.example,localhost",
        BEHIND_TLS_PROXY="True",
        CSRF_TRUSTED_ORIGINS="https://countersign.example,https://other.example",
    )

    assert found == {
        "ALLOWED_HOSTS": ["countersign.example", "localhost"],
        "CSRF_COOKIE_SECURE": True,
        "CSRF_TRUSTED_ORIGINS": ["https://countersign.example", "https://other.example"],
        "SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"],
        "SESSION_COOKIE_SECURE": True,
    }


@pytest.mark.parametrize("value", ["yes", "1", ""])
def test_half_a_word_about_the_proxy_starts_nothing(tmp_path, value):
    said = read(tmp_path, BEHIND_TLS_PROXY=value)

    assert said == f"ValueError: BEHIND_TLS_PROXY must be False or True, not {value!r}"
