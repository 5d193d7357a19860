-- The same rules with the fewest tables: everything that keeps an approval from being spent twice.
CREATE SCHEMA raw;
SET LOCAL search_path = raw;
CREATE TABLE run (
    id uuid PRIMARY KEY, head bigint NOT NULL DEFAULT 0, head_hash text NOT NULL,
    stopping boolean NOT NULL DEFAULT false
);
CREATE TABLE event (
    event_id uuid PRIMARY KEY, run uuid NOT NULL REFERENCES run, position bigint NOT NULL,
    event_type text NOT NULL, actor text NOT NULL, occurred_at timestamptz NOT NULL,
    call uuid NOT NULL, body text NOT NULL,
    payload jsonb GENERATED ALWAYS AS (body::jsonb) STORED,
    prev_hash text NOT NULL, hash text NOT NULL, UNIQUE (run, position)
);
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'append-only'; END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TABLE outbox (
    id bigserial PRIMARY KEY, run uuid NOT NULL, position bigint NOT NULL, pos bigint,
    UNIQUE (run, position)
);
CREATE TABLE member (
    person uuid PRIMARY KEY, role text NOT NULL, active boolean NOT NULL, limit_minor bigint NOT NULL
);
CREATE TABLE policy (id bigserial PRIMARY KEY, active boolean NOT NULL, document jsonb NOT NULL);
CREATE TABLE call (
    id uuid PRIMARY KEY, run uuid NOT NULL REFERENCES run, intent text NOT NULL UNIQUE,
    arguments text NOT NULL, digest text NOT NULL, amount_minor bigint NOT NULL,
    target text NOT NULL, status text NOT NULL, wire_key text UNIQUE, result_ref text,
    lease_token bigint NOT NULL DEFAULT 0, lease_until timestamptz
);
CREATE TABLE approval (
    id uuid PRIMARY KEY, call uuid NOT NULL REFERENCES call, status text NOT NULL,
    digest text NOT NULL, policy bigint NOT NULL REFERENCES policy,
    decide_by timestamptz NOT NULL, use_by timestamptz, approver uuid
);
CREATE UNIQUE INDEX one_open ON approval (call) WHERE status IN ('pending', 'granted');
CREATE TABLE consumption (approval uuid PRIMARY KEY REFERENCES approval, at timestamptz NOT NULL);
CREATE TABLE receipt (
    actor uuid NOT NULL, command_id text NOT NULL, digest text NOT NULL, positions int[] NOT NULL,
    PRIMARY KEY (actor, command_id)
);
CREATE TABLE payment (target text PRIMARY KEY);
CREATE TABLE reservation (
    call uuid PRIMARY KEY REFERENCES call, target text NOT NULL, amount_minor bigint NOT NULL
);
CREATE TABLE attempt (
    id uuid PRIMARY KEY, call uuid NOT NULL REFERENCES call, token bigint NOT NULL,
    status text NOT NULL
);
CREATE UNIQUE INDEX one_open_attempt ON attempt (call) WHERE status <> 'closed';
CREATE TABLE timer (kind text, subject uuid, due_at timestamptz NOT NULL, PRIMARY KEY (kind, subject));
INSERT INTO policy (active, document) VALUES (true, '{"needs": 1, "use_within_s": 900}');
