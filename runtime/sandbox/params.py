"""The parameters each provider request takes, and Stripe's words for the ones it does not."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic import ValidationError as PydanticError

from runtime.sandbox.errors import InvalidParamsError
from runtime.sandbox.forms import Form

MAX_METADATA = 50


def _whole_number(value: object) -> object:
    """Pydantic alone would also take `5_00`, `+5` and `5.0`."""
    if isinstance(value, str) and not re.fullmatch(r"-?[0-9]{1,15}", value):
        raise ValueError(f"Invalid integer: {value[:50]}")
    return value


def _listed(value: object) -> object:
    return list(value.values()) if isinstance(value, dict) else value


def _set_values(value: object) -> object:
    """An empty string is how Stripe's clients leave a value unset."""
    if isinstance(value, dict):
        return {name: text for name, text in value.items() if text != ""}
    return {} if value == "" else value


Number = Annotated[int, BeforeValidator(_whole_number)]
Minor = Annotated[Number, Field(ge=1, le=999_999_999_999)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{3}$", to_lower=True)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Value = Annotated[str, StringConstraints(max_length=500)]
Metadata = Annotated[
    dict[Name, Value], BeforeValidator(_set_values), Field(max_length=MAX_METADATA)
]
Expand = Annotated[list[str], BeforeValidator(_listed), Field(max_length=20)]


class Params(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    expand: Expand = []


class CreatePayment(Params):
    """Always confirmed and captured at once: the sandbox is about what comes after."""

    amount: Minor
    currency: Currency
    metadata: Metadata = {}
    description: str | None = None
    source: str | None = None
    payment_method: str | None = None
    payment_method_types: Form | None = None
    automatic_payment_methods: Form | None = None
    confirm: Literal["true"] | None = None
    capture: Literal["true"] | None = None


class CreateRefund(Params):
    payment_intent: str | None = None
    charge: str | None = None
    amount: Minor | None = None
    reason: Literal["duplicate", "fraudulent", "requested_by_customer"] | None = None
    metadata: Metadata = {}


class ListRefunds(Params):
    payment_intent: str | None = None
    charge: str | None = None
    limit: Annotated[Number, Field(ge=1, le=100)] = 10
    starting_after: str | None = None


P = TypeVar("P", bound=Params)


def parse(model: type[P], form: Form) -> P:
    try:
        return model.model_validate(form)
    except PydanticError as error:
        raise _refusal(dict(error.errors(include_url=False)[0])) from error


def _refusal(problem: dict[str, Any]) -> InvalidParamsError:
    first, *rest = (str(part) for part in problem["loc"] if part != "[key]")
    param = first + "".join(f"[{part}]" for part in rest)
    code: str | None
    match problem["type"]:
        case "missing":
            code, message = "parameter_missing", f"Missing required param: {param}."
        case "extra_forbidden":
            code, message = "parameter_unknown", f"Received unknown parameter: {param}"
        case "value_error" | "greater_than_equal":
            code, message = "parameter_invalid_integer", f"Invalid {param}: {problem['msg']}"
        case _:
            code, message = None, f"Invalid {param}: {problem['msg']}"
    return InvalidParamsError(400, message, code=code, param=param)
