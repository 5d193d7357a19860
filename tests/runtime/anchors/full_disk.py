"""Append anchors until the disk is full: `python -m tests.runtime.anchors.full_disk FILE BYTES`."""

from __future__ import annotations

import resource
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from runtime.anchors.files import AnchorFile
from runtime.anchors.lines import signed

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)


def append_one(file: AnchorFile) -> None:
    with file.held() as handle:
        assert handle is not None
        upto = file.chain.upto.get(UUID(int=1), 0) + 1
        line = signed(
            file.chain, KEY, at=datetime.now(UTC), workspace=UUID(int=1), upto=upto, heads=[]
        )
        file.append(handle, line)


def main(path: Path, size: int) -> None:
    file = AnchorFile(path=path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        while True:
            append_one(file)
    except OSError:
        file.forget()
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    append_one(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
