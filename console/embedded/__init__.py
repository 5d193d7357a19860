"""PostgreSQL and Valkey from installed wheels, run as children of whoever needs them."""
