"""The servers' programs inside the installed wheels, found without importing their wrappers."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
from importlib.metadata import version
from pathlib import Path

from console.embedded.errors import StartError
from console.embedded.identity import Account


def package_folder(package: str, home: Path, account: Account) -> Path:
    """Answer the installed package's folder, or a copy the account can reach."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise missing_program(package)
    installed = Path(spec.submodule_search_locations[0])
    if account.uid == os.geteuid() or account.enters(installed):
        return installed
    return _copy(installed, home / "programs" / version(package))


def _copy(installed: Path, target: Path) -> Path:
    if not (target / installed.name).is_dir():
        target.mkdir(mode=0o755, parents=True, exist_ok=True)
        # The package's libraries lie beside it; the package comes last, so it stands for the whole.
        for name in (f"{installed.name}.libs", installed.name):
            _copy_folder(installed.with_name(name), target / name)
    return target / installed.name


def _copy_folder(source: Path, target: Path) -> None:
    if not source.is_dir() or target.is_dir():
        return
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial, ignore=shutil.ignore_patterns("__pycache__", "include"))
    partial.rename(target)


def missing_program(package: str) -> StartError:
    system = f"{platform.system()} {platform.machine()}"
    variable = "DATABASE_URL" if "postgres" in package else "REDIS_URL"
    return StartError(
        f"{package} has no program for {system} here: install requirements.txt, "
        f"or set {variable} to a server of your own."
    )
