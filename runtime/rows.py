"""Write some columns of one row, found by its key: what save() does, without what it asks first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import DatabaseError, connection
from django.db.models import Model

UPDATE: Final = "UPDATE {table} SET {columns} WHERE {key} = %s"


def update_row(row: Model, values: Mapping[str, Any]) -> None:
    """Raises DatabaseError where the row is not there."""
    about = row._meta  # noqa: SLF001
    known = {field.attname: field for field in about.concrete_fields}
    fields = [known[name] for name in values]
    prepared = [
        field.get_db_prep_save(value, connection)
        for field, value in zip(fields, values.values(), strict=True)
    ]
    columns = ", ".join(f"{field.column} = %s" for field in fields)
    statement = UPDATE.format(table=about.db_table, columns=columns, key=about.pk.column)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*prepared, row.pk])
        if cursor.rowcount != 1:
            raise DatabaseError(f"{row!r} is not stored.")
