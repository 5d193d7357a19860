"""SQL for what the database itself refuses: changed history and moves not in the tables."""

from __future__ import annotations

from runtime.states import Moves


def append_only(table: str) -> tuple[str, str]:
    """SQL that makes a table append-only for every role, and SQL that undoes it.

    ENABLE ALWAYS, so that a session in replica mode is refused as well.
    """
    name = append_only_guard(table)
    create = f"""
    CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '{table} is append-only' USING ERRCODE = 'restrict_violation';
    END;
    $$;
    CREATE TRIGGER {name} BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION {name}();
    ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name};
    """
    return create, _drop(table, name)


def given_once(table: str, column: str) -> tuple[str, str]:
    """SQL that keeps a table append-only but for one column, given once where it is null."""
    name = f"{table}_{column}_is_given_once"
    create = f"""
    CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'UPDATE' AND OLD.{column} IS NULL
            AND to_jsonb(NEW) - '{column}' = to_jsonb(OLD) - '{column}'
        THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION '{table} is append-only, and {column} is given once'
            USING ERRCODE = 'restrict_violation';
    END;
    $$;
    CREATE TRIGGER {name} BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION {name}();
    ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name};
    """
    return create, _drop(table, name)


def only_listed_moves(table: str, column: str, moves: Moves) -> tuple[str, str]:
    """SQL that refuses a move of `column` its table does not list, and SQL that undoes it."""
    name = moves_guard(table, column)
    create = f"""
    {list_moves(table, column, moves)}
    CREATE TRIGGER {name} BEFORE INSERT OR UPDATE OF {column} ON {table}
        FOR EACH ROW EXECUTE FUNCTION {name}();
    ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name};
    """
    return create, _drop(table, name)


def list_moves(table: str, column: str, moves: Moves) -> str:
    """SQL for the moves that a guard allows; by itself, it lists them anew for a guard there is."""
    name = moves_guard(table, column)
    return f"""
    CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        source text := CASE TG_OP WHEN 'INSERT' THEN '' ELSE OLD.{column} END;
    BEGIN
        IF source IS DISTINCT FROM NEW.{column}
            AND source || '>' || NEW.{column} <> ALL (ARRAY[{_pairs(moves)}])
        THEN
            RAISE EXCEPTION '{table}.{column} cannot go from % to %', source, NEW.{column}
                USING ERRCODE = 'check_violation', CONSTRAINT = '{name}';
        END IF;
        RETURN NEW;
    END;
    $$;
    """


def append_only_guard(table: str) -> str:
    return f"{table}_is_append_only"


def moves_guard(table: str, column: str) -> str:
    return f"{table}_{column}_moves"


def _pairs(moves: Moves) -> str:
    pairs = [f"'{source or ''}>{goal}'" for source, goals in moves.items() for goal in goals]
    return ", ".join(sorted(pairs))


def _drop(table: str, name: str) -> str:
    return f"DROP TRIGGER {name} ON {table}; DROP FUNCTION {name}();"
