"""The project's settings, made quick for tests, on servers of this run's own."""

from __future__ import annotations

from tests.servers import claim_folder

claim_folder()

from console.settings import *  # noqa: E402, F403
from console.settings import SERVERS, database  # noqa: E402

# Tables are made and emptied; what the application may not do is tested over its own connection.
DATABASES = {"default": database(SERVERS.owner_url)}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Each client would look through all static files again; the scenarios serve them for real.
SERVESTATIC_USE_FINDERS = SERVESTATIC_USE_STATIC_ROOT = False
