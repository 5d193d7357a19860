"""A payment provider for development: Stripe's wire format, a journal, and faults on demand."""
