"""A row of any table, made without what it would belong to."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connection, models
from django.db.models import Field, Model
from django.utils import timezone

FITTING: dict[str, Any] = {"body": "{}", "status": "applied"}


def table_of(model: type[Model]) -> str:
    return model._meta.db_table  # noqa: SLF001


def rows_of(model: type[Model]) -> list[dict[str, Any]]:
    return list(model._base_manager.values())  # noqa: SLF001


def insert_row(model: type[Model]) -> None:
    """Insert one as a superuser may, whom no foreign key keeps from it."""
    fields = model._meta.concrete_fields  # noqa: SLF001
    values = {each.attname: value_for(each) for each in fields if not each.generated}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        model(**values).save(force_insert=True)
        cursor.execute("SET LOCAL session_replication_role = origin")


def value_for(field: Field[Any, Any]) -> Any:
    match field.target_field if isinstance(field, models.ForeignKey) else field:
        case models.UUIDField():
            return UUID(int=1)
        case models.IntegerField():
            return 1
        case models.DateTimeField():
            return timezone.now()
        case models.JSONField():
            return {}
        case _:
            return FITTING.get(field.name, "x")
