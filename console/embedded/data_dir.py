"""What lies in DATA_DIR, and the addresses of its servers, which depend on its path alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from console.embedded.errors import StartError

DATABASE = "countersign"
OWNER = "postgres"
APPLICATION = "countersign"
# A unix socket's path may have 103 characters on macOS; TMPDIR alone can take half of them, and
# differs between the processes that must agree on this path.
SOCKETS_ROOT = Path("/tmp")  # noqa: S108 - the folder is checked before each use, see sockets.py


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """The addresses of PostgreSQL and Valkey, and whether each of them is ours to run.

    `owner_url` names the role that owns the tables: the application's own where there is one only.
    """

    database_url: str
    owner_url: str
    redis_url: str
    runs_postgres: bool
    runs_valkey: bool

    @property
    def broker_url(self) -> str:
        """Celery's spelling of the same address."""
        return self.redis_url.replace("unix://", "redis+socket://", 1)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The files of one DATA_DIR."""

    root: Path

    @property
    def servers(self) -> Path:
        return self.root / "servers"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def mark(self) -> Path:
        """Says that the folder was made, or found empty, by us: only then may it be emptied."""
        return self.root / ".countersign"

    @property
    def processes(self) -> Path:
        """What the demo runs, {name: pid}."""
        return self.root / "processes.json"

    @property
    def starts(self) -> Path:
        """When each of them started, {pid: start}: a pid alone may be someone else's by now."""
        return self.root / "starts.json"

    @property
    def demo_lock(self) -> Path:
        """Held by the demo."""
        return self.root / "demo.lock"

    @property
    def servers_lock(self) -> Path:
        """Held by whoever runs the servers."""
        return self.root / "servers.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by those who use servers they do not run."""
        return self.root / "users.lock"

    @property
    def sockets(self) -> Path:
        digest = hashlib.sha256(f"{os.geteuid()}:{self.root}".encode()).hexdigest()
        return SOCKETS_ROOT / f"countersign-{digest[:16]}"

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"


def layout(data_dir: Path | str) -> Layout:
    return Layout(root=Path(data_dir).resolve())


def resolve(data_dir: Path | str, environ: Mapping[str, str] = os.environ) -> Endpoints:
    """Answer where the servers are; DATABASE_URL and REDIS_URL each replace one of ours.

    Raises StartError for the owner of a database that is not named.
    """
    where = layout(data_dir)
    database_url = environ.get("DATABASE_URL", "")
    owner_url = environ.get("OWNER_DATABASE_URL", "")
    if owner_url and not database_url:
        raise StartError(
            "OWNER_DATABASE_URL is set and DATABASE_URL is not: name both, or neither."
        )
    redis_url = environ.get("REDIS_URL", "")
    return Endpoints(
        database_url=database_url or postgres_url(where, role=APPLICATION),
        owner_url=owner_url or database_url or postgres_url(where),
        redis_url=redis_url or f"unix://{where.valkey_socket}",
        runs_postgres=not database_url,
        runs_valkey=not redis_url,
    )


def postgres_url(where: Layout, database: str = DATABASE, *, role: str = OWNER) -> str:
    return f"postgresql://{role}@{quote(str(where.sockets), safe='')}/{database}"
