"""Every rule that the database holds to is met with an error of its own, or only by a defect."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db import IntegrityError, connection

from runtime.constraints import RuleError, broken_rule, rules_named, typed_rules
from runtime.handlers.propose import intent_taken
from runtime.models import Person, Receipt

pytestmark = pytest.mark.django_db

# A request breaks none of these: a handler that meets one is wrong, and answers 500.
ONLY_BY_DEFECT = {
    "the writer holds the run's lock, and has read": [
        "one_append_per_attempt_token",
        "one_append_per_session_revision",
        "one_event_per_position",
        "one_item_per_number",
        "one_open_approval_per_call",
        "one_open_attempt_per_call",
        "one_open_case_per_call",
        "one_outbox_row_per_event",
        "one_session_write_per_attempt_token",
        "one_term_per_run_and_kind",
        "one_vote_of_a_kind_per_person",
        "attempts_are_numbered_once",
    ],
    "the writer holds the workspace's lock, or the feed's": [
        "one_outbox_row_per_number",
        "one_row_per_policy_version",
    ],
    "the writer takes the row that is there": [
        "one_account_per_provider",
        "one_cursor_per_consumer_and_workspace",
        "one_fingerprint_key",
        "one_living_key_per_person",
        "one_limit_group_per_name",
        "one_limit_per_group_capability_and_currency",
        "one_lock_per_usage",
        "one_row_per_payment",
        "one_timer_per_kind_and_subject",
        "runtime_agentsession_run_id_key",
    ],
    "the writer makes the value, which is made once": [
        "approvals_accesstoken_secret_hash_key",
        "one_call_per_external_request",
        "one_call_per_wire_key",
    ],
    "a pure decision says the same before": [
        "a_call_is_accepted_after_its_dispatch",
        "a_call_that_may_have_left_names_its_request",
        "a_completed_call_has_its_result",
        "a_grant_has_a_time_to_be_used_by",
        "a_receipt_is_applied_or_refused",
        "a_run_ends_one_way_at_one_time",
        "a_settlement_has_its_claim",
        "amounts_are_positive",
        "an_agent_has_an_owner",
        "approvals_approval_status_moves",
        "positions_start_at_one",
        "runtime_attempt_status_moves",
        "runtime_toolcall_execution_status_moves",
        "runtime_toolcall_verification_status_moves",
    ],
}
# Besides: ids, references and links, which we make; a number's lower bound; what is append-only.
RULES = """
SELECT conname AS name FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'u', 'x')
    AND conname !~ '_check[0-9]*$' AND conname !~ '_[0-9a-f]{8}_uniq$'
    AND conrelid::regclass::text ~ '^(runtime|approvals)_'
UNION SELECT indexrelid::regclass::text FROM pg_index
  WHERE indisunique AND NOT indisprimary AND indrelid::regclass::text ~ '^(runtime|approvals)_'
    AND indexrelid::regclass::text !~ '_[0-9a-f]{8}_uniq$'
UNION SELECT tgname FROM pg_trigger
  WHERE NOT tgisinternal AND tgname !~ '_is_(append_only|given_once)$'
"""


def test_every_rule_of_the_database_has_been_thought_of():
    with connection.cursor() as cursor:
        cursor.execute(RULES)
        found = Counter(name for (name,) in cursor.fetchall())

    known = [name for names in ONLY_BY_DEFECT.values() for name in names]
    assert found == Counter([*known, *typed_rules()])


def test_each_error_says_to_a_person_what_is_the_matter():
    said = {kind: str(kind()) for kind in typed_rules().values()}

    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in said.values())
    assert len(set(said.values())) == len(said)
    assert "'a'" in intent_taken("a").detail


def test_a_rule_that_was_met_is_an_error_of_its_own_and_a_defect_stays_what_it_is():
    Person.objects.create(username="ana")

    with pytest.raises(RuleError, match="taken this name") as met, rules_named():
        Person.objects.create(username="ana")

    assert isinstance(met.value.__cause__, IntegrityError)


def test_a_defect_names_the_rule_it_broke():
    with pytest.raises(IntegrityError) as raised, rules_named():
        Receipt.objects.create(status="applied", http_status=200, event_positions=None)

    assert broken_rule(raised.value) is not None
    assert "null value" in str(broken_rule(raised.value))
