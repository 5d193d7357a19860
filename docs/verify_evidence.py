"""Check an evidence pack offline: `python verify_evidence.py pack.json [--public-key HEX …]`.

Needs Python 3.11 and `cryptography`, and nothing of Countersign. It prints what holds (ok), what
does not (FAIL) and what cannot be known from the pack (??), and exits 1 where anything fails.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Pack = dict[str, Any]
# None: cannot be known from here.
Finding = tuple[bool | None, str]

REQUESTS = ("approval.requested", "approval.settlement_requested")
PROPOSALS = ("tool.call.proposed", "tool.call.revised")
ENDS = "granted rejected expired cancelled superseded consumed revoked invalidated"
# What an approval is after its last event; a vote alone moves it nowhere.
STATUS = {f"approval.{end}": end for end in ENDS.split()} | dict.fromkeys(REQUESTS, "pending")


def check_chain(pack: Pack) -> Iterator[Finding]:
    """Each event's hash is over the hash before it, its envelope and its body, as texts."""
    link = "0" * 64
    for position, event in enumerate(pack["events"], start=1):
        envelope = json.loads(event["envelope"])
        where = f"event {position} ({envelope['event_type']})"
        if event["prev_hash"] != link:
            yield False, f"{where} is not chained to the event before it"
        if sha256("\n".join((link, event["envelope"], event["body"]))) != event["hash"]:
            yield False, f"{where} is not what was hashed"
        if envelope["position"] != position:
            yield False, f"{where} belongs at position {envelope['position']}"
        if (envelope["run"], envelope["workspace"]) != (pack["approval"]["run"], pack["workspace"]):
            yield False, f"{where} is of another run or workspace"
        link = event["hash"]
    yield bool(pack["events"]), f"chain: the run's {len(pack['events'])} events"


def check_question(pack: Pack) -> Iterator[Finding]:
    """What people were asked is what the log says they were asked, bound by its digest."""
    approval, policy, (envelope, asked) = pack["approval"], pack["policy"], request(pack)
    amount = approval["effect"]["amount"]
    shown = {
        "revision": approval["revision"],
        "arguments": pack["arguments"],
        "digest": approval["digest"],
        "amount_minor": amount["minor"],
        "currency": amount["currency"],
        "target": approval["effect"]["target"],
        "needed": approval["votes"]["needed"],
        "risk": approval["risk"],
        "conflicts": pack["conflicts"],
        "policy": policy["id"],
        "policy_name": policy["name"],
        "policy_version": policy["version"],
        "decide_by": approval["decide_by"],
    }
    for field, value in shown.items():
        if asked[field] != value:
            yield False, f"question: another {field} is shown than people were asked about"
    ids = [(approval["capability"], approval["tool_call"])]
    ids += [(pack["call"]["capability"], pack["call"]["id"])]
    if set(ids) != {(envelope["capability_id"], envelope["tool_call_id"])}:
        yield False, "question: another call is shown than people were asked about"
    fits = None if asked["arguments"] is None else digest(bound(pack)) == asked["digest"]
    yield fits, "question: its digest is over what was asked"


def bound(pack: Pack) -> dict[str, Any]:
    """What an approval's digest is over: an effect, or what somebody says became of one."""
    envelope, asked = request(pack)
    if envelope["event_type"] == "approval.requested":
        return effect(pack, asked)
    said = {name: asked[name] for name in ("by", "result_ref", "reason", "evidence")}
    proposed = proposals(pack, envelope["position"])[-1]["digest"]
    return {"settle": pack["call"]["id"], "effect": proposed, "outcome": "completed", **said}


def effect(pack: Pack, asked: Pack) -> dict[str, Any]:
    return {"capability": pack["call"]["capability"], "arguments": asked["arguments"]}


def check_call(pack: Pack) -> Iterator[Finding]:
    """The call is what was proposed last, and left under the reference that is shown."""
    call, proposed = pack["call"], proposals(pack)[-1]
    same = call["arguments"] == proposed["arguments"] and call["digest"] == proposed["digest"]
    gone = proposed["arguments"] is None
    fits = gone or digest(effect(pack, proposed)) == proposed["digest"]
    yield (None if gone and same else same and fits), "call: what the agent proposed"
    sent = {body["external_request_id"] for body in of_call(pack, "tool.call.dispatching")}
    yield sent <= {call["external_request_id"]}, "call: the reference it left under, if it left"
    done = [body["result_ref"] for body in of_call(pack, "tool.call.completed")]
    yield done in ([], [call["result_ref"]]), "call: the provider's id of what it did, if it did"


def check_votes(pack: Pack) -> Iterator[Finding]:
    """Votes are shown as cast, by who acted, and nobody behind the run approved."""
    votes, people = history(pack, "approval.voted"), pack["people"]
    fields = ("by", "decision", "reason_code")
    shown = [[vote[field] for field in fields] for vote in pack["approval"]["votes"]["cast"]]
    cast = [[people.get(v["person"]), v["decision"], v["reason_code"]] for _, v in votes]
    yield shown == cast, f"votes: {len(cast)}, as they were cast"
    acted = all(envelope["actor"] == f"person:{vote['person']}" for envelope, vote in votes)
    yield acted, "votes: each by who acted"
    behind = {one["person"] for one in request(pack)[1]["conflicts"]}
    yield behind.isdisjoint(approvers(pack)), "votes: no approval by anybody behind the run"


def approvers(pack: Pack) -> set[str]:
    votes = [vote for _, vote in history(pack, "approval.voted")]
    return {vote["person"] for vote in votes if vote["decision"] == "approve"}


def check_ending(pack: Pack) -> Iterator[Finding]:
    """The approval was used at most once, and is what its last event made it."""
    moves = [STATUS[envelope["event_type"]] for envelope, _ in history(pack, *STATUS)]
    yield moves[-1] == pack["approval"]["status"], f"ending: {moves[-1]} by its log"
    spent = moves.count("consumed")
    yield spent <= 1, f"ending: used {spent} times, of at most once"
    if spent:
        granted = [body["by"] for _, body in history(pack, "approval.granted")]
        by_rule = granted == [f"policy:{pack['policy']['id']}"]
        enough = len(approvers(pack)) >= request(pack)[1]["needed"]
        yield len(granted) == 1 and (by_rule or enough), "ending: granted before it was used"


def check_texts(pack: Pack) -> Iterator[Finding]:
    """Words are those whose digest is in the log; of erased ones the digest alone is left."""
    about = {None, pack["call"]["id"]}
    bodies = [body for envelope, body in log(pack) if envelope["tool_call_id"] in about]
    logged = {ref["id"]: ref["digest"] for body in bodies for ref in references(body)}
    texts, erased = pack["texts"], [text for text in pack["texts"] if text["erased"]]
    if {text["id"]: text["digest"] for text in texts} != logged:
        yield False, "texts: not those that the log refers to"
    for text in texts:
        if text["erased"]:
            if text["text"] != "[erased]":
                yield False, f"texts: {text['id']} is erased and says something"
        elif keyed(text["digest_key"], text["text"]) != text["digest"]:
            yield False, f"texts: {text['id']} is not what was written"
    yield True, f"texts: {len(texts) - len(erased)} looked at"
    if erased:
        yield None, f"texts: {len(erased)} were erased; what they said is gone"


def check_words(pack: Pack) -> Iterator[Finding]:
    """What the approval shows as said is what the checked texts say."""
    words = {None: None} | {text["id"]: text["text"] for text in pack["texts"]}
    shown, (envelope, asked) = pack["approval"], request(pack)
    said = asked if "reason" in asked else proposals(pack, envelope["position"])[-1]
    why = said["reason"] if "reason" in asked else said["reasoning"]
    evidence = [
        {name: words[ref and ref["id"]] for name, ref in piece.items()}
        for piece in said["evidence"]
    ]
    notes = [words[v["note"] and v["note"]["id"]] for _, v in history(pack, "approval.voted")]
    yield shown["reasoning"] == {"summary": words[why["id"]], "evidence": evidence}, "words: why"
    yield [vote["note"] for vote in shown["votes"]["cast"]] == notes, "words: notes of the votes"


def check_observations(pack: Pack) -> Iterator[Finding]:
    """What the provider said of the payment is what was recorded when it was read."""
    seen = of_call(pack, "payment.observed")
    logged = {(body["observation"], body["digest"]) for body in seen}
    shown = {(one["id"], sha256(one["content"])) for one in pack["observations"]}
    yield shown == logged, f"payment: read {len(logged)} times, as recorded"


def check_receipts(pack: Pack) -> Iterator[Finding]:
    """A command that was applied points to its own events, and every vote has its receipt."""
    actors = [pack["people"].get(each["actor"].rpartition(":")[2]) for each, _ in log(pack)]
    receipts = [answer["receipt"] for answer in pack["receipts"]]
    for receipt in receipts:
        if {actors[at - 1] for at in receipt["event_positions"]} - {receipt["actor"]}:
            yield False, f"receipts: {receipt['command_id']} points to events of somebody else"
    voted = {vote["command_id"] for _, vote in history(pack, "approval.voted")}
    applied = {each["command_id"] for each in receipts if each["status"] == "applied"}
    yield voted <= applied, "receipts: one for each vote"


def check_anchors(pack: Pack, trusted: Collection[str]) -> Iterator[Finding]:
    """Signed outside the database: who rewrites the log cannot rewrite these."""
    anchors = [(anchor, json.loads(anchor["statement"])) for anchor in pack["anchors"]]
    for anchor, says in anchors:
        for flaw in flaws(pack, anchor, says, trusted):
            yield False, f"anchors: {says['number']} of {says['at']} {flaw}"
    reach, total = max([0, *(anchor["position"] for anchor, _ in anchors)]), len(pack["events"])
    if reach:
        yield True, f"anchors: {len(anchors)}, up to event {reach}"
    if reach < total:
        yield None, f"anchors: none yet for events {reach + 1} to {total}; only their chain speaks"
    if anchors and not trusted:
        keys = ", ".join(sorted({says["key"] for _, says in anchors}))
        yield None, f"anchors: is this your key (--public-key)? {keys}"


def flaws(pack: Pack, anchor: Pack, says: Pack, trusted: Collection[str]) -> Iterator[str]:
    if not is_signed(anchor, says) or (trusted and says["key"] not in trusted):
        yield "is not signed with a good key"
    if root_of(anchor) != says["root"]:
        yield "is not about this head"
    if (anchor["run"], says["workspace"]) != (pack["approval"]["run"], pack["workspace"]):
        yield "is of another run or workspace"
    at = anchor["position"]
    if not 0 < at <= len(pack["events"]) or pack["events"][at - 1]["hash"] != anchor["hash"]:
        yield f"has another event {at}: the log was rewritten since"


def is_signed(anchor: Pack, says: Pack) -> bool:
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(says["key"]))
        public.verify(bytes.fromhex(anchor["signature"]), anchor["statement"].encode())
    except (InvalidSignature, ValueError):
        return False
    return bool(says["format"] == "countersign-anchor@1")


def root_of(anchor: Pack) -> str:
    """RFC 6962: leaves and nodes are hashed unlike each other."""
    leaf = f"{anchor['run']} {anchor['position']} {anchor['hash']}".encode()
    here = hashlib.sha256(b"\x00" + leaf).digest()
    for side, beside in anchor["path"]:
        other = bytes.fromhex(beside)
        pair = other + here if side == "left" else here + other
        here = hashlib.sha256(b"\x01" + pair).digest()
    return here.hex()


def log(pack: Pack) -> list[tuple[Pack, Pack]]:
    """The run's events: envelope and body of each."""
    facts = [(json.loads(each["envelope"]), json.loads(each["body"])) for each in pack["events"]]
    return [(envelope, whole(pack, envelope, body)) for envelope, body in facts]


def whole(pack: Pack, envelope: Pack, body: Pack) -> Pack:
    """Arguments in an artifact are bound by the fact's digest alone; None: they are erased."""
    if envelope["artifact_id"] is None:
        return body
    is_last = envelope["artifact_id"] == pack["call"]["artifact"]
    return {**body, "arguments": pack["call"]["arguments"] if is_last else pack["arguments"]}


def history(pack: Pack, *kinds: str) -> list[tuple[Pack, Pack]]:
    """What the log says of this approval itself, of these kinds."""
    mine = [fact for fact in log(pack) if fact[0]["approval_id"] == pack["approval"]["id"]]
    return [fact for fact in mine if fact[0]["event_type"] in kinds]


def of_call(pack: Pack, *kinds: str, before: int | None = None) -> list[Pack]:
    """The bodies of the call's events of these kinds."""
    mine = [fact for fact in log(pack)[:before] if fact[0]["tool_call_id"] == pack["call"]["id"]]
    return [body for envelope, body in mine if envelope["event_type"] in kinds]


def proposals(pack: Pack, before: int | None = None) -> list[Pack]:
    return of_call(pack, *PROPOSALS, before=before)


def request(pack: Pack) -> tuple[Pack, Pack]:
    (asked,) = history(pack, *REQUESTS)
    return asked


def references(value: Any) -> Iterator[Pack]:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict) and value.keys() == {"id", "digest"}:
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from references(part)


def digest(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Over the canonical text (RFC 8785); what is digested here has ASCII names, no fractions."""
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def keyed(key: str, text: str) -> str:
    return hmac.digest(bytes.fromhex(key), text.encode(), "sha256").hex()


def findings(pack: Pack, trusted: Collection[str]) -> Iterator[Finding]:
    if pack["format"] != "countersign-evidence@1":
        raise ValueError(f"{pack['format']} is no format that is known here")
    for check in (
        check_chain, check_question, check_call, check_votes, check_ending, check_texts,
        check_words, check_observations, check_receipts,
    ):  # fmt: skip
        yield from check(pack)
    yield from check_anchors(pack, trusted)
    yield None, "names, sentences, rules, times of use and receipts' words: the pack's word"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--public-key", action="append", default=[], help="hex; several are good")
    given, failed = parser.parse_args(), False
    try:
        for holds, sentence in findings(json.loads(given.pack.read_text()), given.public_key):
            failed = failed or holds is False
            print({True: "ok  ", False: "FAIL", None: "??  "}[holds], sentence)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        failed = True
        print("FAIL", f"this is no whole pack: {type(error).__name__}: {error}")
    print("Something does not hold." if failed else "All that can be checked here holds.")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
