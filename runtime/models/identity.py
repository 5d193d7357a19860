"""Whose things these are: workspaces, and the people and agents who act in them."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models

from runtime.ids import new_id


class Workspace(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    time_zone = models.CharField(max_length=60, default="UTC")

    def __str__(self) -> str:
        return self.slug


class Person(AbstractUser):
    """An account. What it may do is said by memberships alone, never by its flags."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    time_zone = models.CharField(max_length=60, default="UTC")
