"""Settings, read from the environment; no secret has a default outside development."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF

from console.embedded.data_dir import resolve
from console.keys import secret_for
from console.logs import RENDERERS, logging_of

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / ".data")
SERVERS = resolve(DATA_DIR)


def one_of(name: str, *choices: str) -> str:
    """Answer a choice from the environment; the first is the default."""
    value = os.environ.get(name, choices[0])
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(choices)}, not {value!r}")
    return value


def flag(name: str) -> bool:
    return one_of(name, "False", "True") == "True"


DEBUG = flag("DEBUG")
SECRET_KEY = secret_for("SECRET_KEY", DATA_DIR)
# The newest first; the others only open what was sealed before `rotate_keys`.
DATA_KEYS = [key.strip() for key in secret_for("DATA_KEY", DATA_DIR).split(",")]
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = list(filter(None, os.environ.get("CSRF_TRUSTED_ORIGINS", "").split(",")))
# Only behind a proxy that sets X-Forwarded-Proto itself: anybody else could claim to be on https.
BEHIND_TLS_PROXY = flag("BEHIND_TLS_PROXY")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS_PROXY else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS_PROXY

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "runtime",
    "approvals",
    "console",
]

MIDDLEWARE = [
    "console.request_log.logged",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "console.encoding.in_utf_8",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "console.urls"
ASGI_APPLICATION = "console.asgi.application"
AUTH_USER_MODEL = "runtime.Person"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{rule}"}
    for rule in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "sign_in"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
            ],
        },
    }
]

# Nobody holds a lock, waits for one, or sits in a transaction for longer than a person would.
LIMITS = {"statement_timeout": 60, "lock_timeout": 10, "idle_in_transaction_session_timeout": 60}


def database(url: str) -> dict[str, Any]:
    connected: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60))
    limits = " ".join(f"-c {name}={seconds}s" for name, seconds in LIMITS.items())
    options = {**connected.get("OPTIONS", {}), "options": limits}
    return connected | {"CONN_HEALTH_CHECKS": True, "OPTIONS": options}


# manage.py says owner for the commands that change tables; see console/management/entry.py.
AS_OWNER = one_of("DATABASE_ROLE", "application", "owner") == "owner"
DATABASES = {"default": database(SERVERS.owner_url if AS_OWNER else SERVERS.database_url)}

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [SERVERS.redis_url]},
    }
}

CELERY_BROKER_URL = SERVERS.broker_url

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["console.api.authentication.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "console.api.problems.answer_for",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Countersign",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    # Enums keep the names of the classes they are.
    "POSTPROCESSING_HOOKS": [],
    "SERVE_INCLUDE_SCHEMA": False,
}

# Everything on a page comes from here: no inline script, no inline style, no other host.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}
SESSION_ENGINE = "console.sessions"
SESSION_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "console.pages.csrf.failed"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "static-collected"
SERVESTATIC_USE_FINDERS = True
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"

# To the standard error of each process, whoever keeps it. Request bodies never go there.
LOGGING = logging_of(one_of("LOG_FORMAT", *RENDERERS), os.environ.get("LOG_LEVEL", "INFO"))

# Where people and providers reach this installation, and where Stripe is.
PUBLIC_URL = os.environ.get("PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
STRIPE_API_BASE = os.environ.get("STRIPE_API_BASE", "https://api.stripe.com")

RUNTIME_GATE = "approvals.gate.ApprovalGate"
PROVIDER_TIMEOUT_S = float(os.environ.get("PROVIDER_TIMEOUT_S", "10"))
ATTEMPT_LEASE_S = float(os.environ.get("ATTEMPT_LEASE_S", "45"))
SETTLE_DELAY_S = float(os.environ.get("SETTLE_DELAY_S", "30"))
FIRST_LOOK_S = float(os.environ.get("FIRST_LOOK_S", "2"))
# A confirmed refund is looked at again after so long, then ever more rarely.
FIRST_RECHECK_S = float(os.environ.get("FIRST_RECHECK_S", "3600"))
KEY_LIFE_S = int(os.environ.get("KEY_LIFE_S", "86400"))
# Relays sign with ANCHOR_KEY how far each run has come; besides its own, these keys are good.
ANCHOR_FILE = Path(os.environ.get("ANCHOR_FILE") or DATA_DIR / "anchors.jsonl")
ANCHOR_EVERY_S = float(os.environ.get("ANCHOR_EVERY_S", "60"))
ANCHOR_PUBLIC_KEYS = list(filter(None, os.environ.get("ANCHOR_PUBLIC_KEYS", "").split(",")))
# Set by the demo alone: sign-in cards, the ticket button.
DEMO = flag("COUNTERSIGN_DEMO")
