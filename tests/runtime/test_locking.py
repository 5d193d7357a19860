from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection, transaction

from runtime.event_log import database_now, lock_run, lock_run_of
from runtime.events import RunStopRequested
from runtime.models import Run, ToolCall
from tests.factories import make_call, make_run, make_world
from tests.runtime.logs import CAUSE

HELD_S = 0.3


@pytest.mark.parametrize("appends", [True, False], ids=["after a write", "after a mere lock"])
@pytest.mark.django_db(transaction=True)
def test_whoever_waited_for_a_run_has_the_clock_from_after_the_wait(appends):
    run = make_run(make_world())
    is_held = Event()

    def hold():
        with transaction.atomic():
            locked = lock_run(run.pk, cause=CAUSE)
            is_held.set()
            if appends:
                locked.append(RunStopRequested(reason=None))
            time.sleep(HELD_S)
            let_go = database_now()
        connection.close()
        return let_go

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        is_held.wait()
        with transaction.atomic():
            locked = lock_run(run.pk, cause=CAUSE)

    assert locked.now > holding.result()
    assert locked.run.head == run.head + appends


@pytest.mark.django_db
def test_a_row_of_another_workspace_locks_no_run():
    call, other = make_call(make_world()), make_world("other")

    with pytest.raises(ToolCall.DoesNotExist), transaction.atomic():
        lock_run_of(ToolCall, call.pk, workspace=other.workspace.pk, cause=CAUSE)
    with pytest.raises(Run.DoesNotExist), transaction.atomic():
        lock_run(call.pk, cause=CAUSE)


@pytest.mark.django_db
def test_facts_recorded_together_are_written_before_a_query_looks_for_them():
    run = make_run(make_world())
    with transaction.atomic():
        locked = lock_run(run.pk, cause=CAUSE)
        with locked.together():
            locked.append(RunStopRequested(reason=None))
            kept = locked.unwritten.lines[:]
            found = list(run.events.values_list("position", flat=True))
            locked.append(RunStopRequested(reason=None))

    assert len(kept) == 1
    assert found == [1, 2]
    assert list(run.events.values_list("position", flat=True)) == [1, 2, 3]
    run.refresh_from_db()
    assert run.head == 3
